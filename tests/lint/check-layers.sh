#!/usr/bin/env bash
# Which folder may include what, and which calls and headers have one home. The
# house is described in docs; this is the same as a test.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# C files of the given folders that exist
sources() {
  local dir; for dir in "$@"; do [ -d "$TOP/$dir" ] && (cd "$TOP" && find "$dir" -name '*.[ch]'); done | sort
}

# what a file includes of this project, in quotes or in brackets, one a line
includes() {
  sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*("[^"]+"|<(umwelt|core|common|plugins|launcher|helper|cmd|sdk|tests)\/[^>]+>).*/\1/p' "$TOP/$1"
}

# the file's code without its comments
code() { gcc -fpreprocessed -dD -E -P "$TOP/$1" 2>/dev/null; }

# allowed FILE PATTERN: every include of FILE matches PATTERN or lies beside FILE
allowed() {
  local file=$1 pattern=$2 include name bad=0
  while read -r include; do
    [ -n "$include" ] || continue
    name=${include#\"}; name=${name%\"}
    case $include in
      \"../*|\"/*) say "$file includes $include: no relative path"; bad=1; continue ;;
      \"*/*|\<*) [[ $include =~ $pattern ]] && continue ;;
      \"*) { [ -e "$TOP/$(dirname "$file")/$name" ] || [[ $include =~ $pattern ]]; } && continue ;;
    esac
    say "$file includes $include, which its layer may not"; bad=1
  done < <(includes "$file")
  return $bad
}

# at_home FILE HOMES...: FILE is one of these, or below one that ends in a slash
at_home() {
  local file=$1 home; shift
  for home in "$@"; do
    case $home in */) [[ $file == "$home"* ]] && return 0 ;; *) [ "$file" = "$home" ] && return 0 ;; esac
  done
  return 1
}

# only CALLS HOMES...: the calls stand there alone
only() {
  local calls=$1 file bad=0; shift
  for file in $(sources core common plugins launcher helper cmd sdk); do
    at_home "$file" "$@" && continue
    grep -qE "$calls" "$TOP/$file" || continue
    if code "$file" | grep -E "$calls" >"$T/found"; then say "$file: $(head -n 1 "$T/found")"; bad=1; fi
  done
  return $bad
}

test_public_headers_include_only_each_other() {
  local f bad=0
  for f in $(sources core/include); do allowed "$f" '^<umwelt/' || bad=1; done
  return $bad
}

test_core_includes_core_and_common() {
  local f bad=0
  for f in $(sources core); do
    case $f in core/include/*) continue ;; esac
    allowed "$f" '^("core/|"common/|<umwelt/)' || bad=1
  done
  return $bad
}

test_common_includes_common() {
  local f bad=0
  for f in $(sources common); do allowed "$f" '^("common/|<umwelt/)' || bad=1; done
  return $bad
}

test_no_plugin_includes_another_or_the_core() {
  local f name bad=0
  for f in $(sources plugins); do
    name=${f#plugins/}; name=${name%%/*}
    allowed "$f" "^(\"plugins/$name/|\"common/|<umwelt/)" || bad=1
  done
  return $bad
}

test_program_launcher_and_helper_include_what_a_third_party_could() {
  local dir f bad=0
  for dir in cmd launcher helper sdk bench; do
    for f in $(sources "$dir"); do allowed "$f" "^(\"$dir/|\"common/|<umwelt/)" || bad=1; done
  done
  return $bad
}

test_a_unit_test_sees_the_folder_it_tests() {
  local f folder bad=0
  for f in $(sources tests/unit); do
    folder=${f#tests/unit/}; folder=${folder%/*}
    case $folder in tests) continue ;; esac
    (cd "$TOP" && ls "$folder"/*.h 2>/dev/null | sed 's|.*/|"|; s|$|"|') >"$T/own"
    allowed "$f" "^(\"tests/|\"unit.h\"|$(paste -sd'|' "$T/own" | sed 's/\./\\./g; s/^$/%/')|\"plugin_host.h\"|\"$folder/|\"common/|<umwelt/)" || bad=1
  done
  for f in $(sources tests/conformance); do allowed "$f" '^("tests/|"unit.h"|"common/|<umwelt/)' || bad=1; done
  return $bad
}

# Names that are also words of the vocabulary cannot be told apart and are left out.
test_core_names_no_plugin() {
  local f name bad=0
  for name in $(cd "$TOP/plugins" && ls -d -- */ | tr -d / | grep -e -); do
    for f in $(sources core); do
      case $f in core/include/*) continue ;; esac
      grep -qwF -- "$name" "$TOP/$f" || continue
      if code "$f" | grep -wF -- "$name" >"$T/found"; then say "$f names $name: $(head -n 1 "$T/found")"; bad=1; fi
    done
  done
  return $bad
}

test_shell_terminal_and_lsp_know_no_far_side() {
  local dir bad=0
  for dir in "$TOP"/plugins/shell-* "$TOP"/plugins/terminal-* "$TOP"/plugins/lsp*; do
    [ -d "$dir" ] || continue
    if grep -rniwE 'ssh|podman|remote' "$dir" --include='*.[ch]' >"$T/found"; then say "$(head -n 3 "$T/found")"; bad=1; fi
  done
  return $bad
}

test_dlopen_has_two_homes() { only '\b(dlopen|dlmopen|dlsym)[[:space:]]*\(' core/loader.c core/scan/; }
test_the_yaml_parser_has_one_home() { only '#[[:space:]]*include[[:space:]]*<yaml\.h>' core/yaml.c; }
test_the_host_configuration_has_one_home() { only '#[[:space:]]*include[[:space:]]*<libconfig\.h>' core/settings.c; }
test_processes_are_made_in_plugins_launcher_and_the_scan() {
  only '\b(fork|vfork|clone3?|execl|execle|execlp|execv|execve|execvp|execvpe|execveat|fexecve|posix_spawnp?)[[:space:]]*\(' \
    plugins/ launcher/ core/scan_child.c
}
test_no_shell_is_called_by_system_or_popen() { only '\b(system|popen)[[:space:]]*\(' /nowhere; }

run_tests
