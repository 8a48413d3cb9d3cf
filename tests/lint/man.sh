#!/usr/bin/env bash
# The manual, --help and the completions agree (C-73). The words of the program
# (`umwelt __complete`) are generated from the same tables as --help; the manual is
# written by hand, so both are compared here.
. "$(dirname "$0")/../lib.sh"
MAN=$TOP/docs/man/umwelt.1

# "command option" pairs of the manual: the options listed below each command's entry
manual_pairs() {
  awk '
    /^\.Sh /            { in_commands = ($2 == "COMMANDS"); common = ($2 == "COMMON") }
    !in_commands && !common { next }
    common              { command = "common" }
    in_commands && /^\.It Cm / { command = $3 }
    /^\.It Fl /         { for (i = 3; i <= NF; i++) if ($i ~ /^\\-[a-z]/) { gsub(/^\\-/, "", $i); print command, $i } }
  ' "$MAN" | sort
}

# pairs of the program, the common ones taken out
program_pairs() {
  local command
  "$UMWELT" __complete | sed -n 's/^--\([a-z-]*\)=*$/common \1/p'
  for command in $("$UMWELT" __complete | grep -v '^--'); do
    "$UMWELT" __complete "$command" | sed -n "s/^--\([a-z-]*\)=*\$/$command \1/p"
  done | grep -vxF -f <(for c in $("$UMWELT" __complete | grep -v '^--'); do
    "$UMWELT" __complete | sed -n "s/^--\([a-z-]*\)=*\$/$c \1/p"; done)
}

# sh has the options of run, said in words
test_the_manual_lists_each_option_of_each_command() {
  manual_pairs >manual
  program_pairs | grep -v '^sh ' | sort >program
  # an option that the command shares with the common ones is described there
  diff program manual
  grep -A4 '^\.It Cm sh ' "$MAN" | grep -q 'Options and exit status are those of'
  is "$("$UMWELT" __complete sh)" "$("$UMWELT" __complete run)"
}

test_the_manual_names_each_command() {
  local command
  for command in $("$UMWELT" __complete | grep -v '^--'); do
    if "$UMWELT" "$command" --help | grep -q 'not in this build)\.$'; then
      sed -n '/^The commands$/,/^are known/p' "$MAN" | grep -qw -- "$command" || { say "no word of $command"; return 1; }
    else
      grep -q "^\.It Cm $command\b" "$MAN" || { say "no entry of $command"; return 1; }
    fi
  done
}

test_the_manual_names_each_exit_status() {
  local status
  for status in 0 1 120 121 122 123 124 125; do grep -qx "\.It $status" "$MAN"; done
}

test_the_launcher_s_page_names_its_options() {
  "$BUILD/umwelt-launch" --help | grep -oE -- '--[a-z]+' | sort -u >program
  sed -n 's/^\.It Fl \\-\([a-z]*\).*/--\1/p' "$TOP/docs/man/umwelt-launch.1" | sort -u >manual
  diff <(grep -v -- '--help' program; echo --help) <(grep -v -- '--help' manual; echo --help)
}

test_the_pages_format_without_a_warning() {
  need groff
  local page
  for page in "$TOP"/docs/man/*.1; do
    is "$(groff -mdoc -Tutf8 -ww "$page" 2>&1 >/dev/null)" ""
  done
}

test_help_of_each_command_fits_the_screen_and_ends_well() {
  local command
  for command in $("$UMWELT" __complete | grep -v '^--'); do
    "$UMWELT" "$command" --help >help
    is "$(awk 'length > 110' help)" ""
    head -n 1 help | grep -q "^usage: umwelt $command"
  done
}

test_bash_completes_commands_and_options() {
  words() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _umwelt; printf '%s\n' "${COMPREPLY[@]}"; }
  set +eE # as in an interactive shell
  PATH=$BUILD:$PATH
  . "$TOP/docs/completions/bash"
  { words umwelt doc; words umwelt --bun; words umwelt read --li; words umwelt --json read --li
    words umwelt help re; words umwelt read --mode read-o; } >got
  set -eE
  is "$(sort -u got)" "$(sort -u <<'END'
doctor
--bundle=
--lines=
read
read-only
END
)"
}

test_zsh_accepts_the_completion_file() {
  need_zsh=$(command -v zsh || true)
  [ -n "$need_zsh" ] || skip "needs zsh"
  zsh -n "$TOP/docs/completions/zsh"
}

run_tests
