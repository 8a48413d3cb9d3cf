#!/usr/bin/env bash
# What the built objects show and ask for (C-1): one exported symbol per plugin,
# no library but libc, none of the calls that change the whole process.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

defined() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }'; }
imported() { nm -D --undefined-only "$1" | awk '{ name = $NF; sub(/@.*/, "", name); print name }'; }
needed() { readelf -dW "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p'; }
plugins() { ls "$BUILD"/plugins/*.so 2>/dev/null; }
instrumented() { nm -D --undefined-only "$BUILD/libumwelt.so" | grep -qE '__(asan|tsan|ubsan)_'; }

test_a_plugin_exports_its_entry_alone() {
  local so bad=0
  instrumented && skip "instrumented build"
  for so in $(plugins); do
    [ "$(defined "$so")" = uw_plugin_entry ] || { say "$so exports: $(defined "$so" | tr '\n' ' ')"; bad=1; }
  done
  return $bad
}

test_a_plugin_needs_libc_alone() {
  local so lib bad=0
  instrumented && skip "instrumented build"
  for so in $(plugins); do
    for lib in $(needed "$so"); do
      case $lib in libc.so.6|ld-linux*.so.*|libpthread.so.0|libdl.so.2|libm.so.6) ;; *) say "$so needs $lib"; bad=1 ;; esac
    done
  done
  return $bad
}

test_a_plugin_leaves_the_process_alone() {
  local so name bad=0
  for so in $(plugins); do
    for name in $(imported "$so"); do
      case $name in
        exit|chdir|fchdir|umask|setenv|unsetenv|putenv|clearenv|signal|sigaction|atexit|__cxa_atexit|at_quick_exit|pthread_atfork|__register_atfork|setlocale|system|popen)
          [ "$name" = __cxa_atexit ] && instrumented && continue
          say "$so imports $name"; bad=1 ;;
      esac
    done
  done
  return $bad
}

test_a_plugin_imports_nothing_of_the_host() {
  local so bad=0
  for so in $(plugins); do
    imported "$so" | grep -qE '^uwi?_' && { say "$so imports $(imported "$so" | grep -E '^uwi?_' | tr '\n' ' ')"; bad=1; }
  done
  return $bad
}

test_the_library_exports_its_public_functions_alone() {
  local odd
  instrumented && skip "instrumented build"
  odd=$(defined "$BUILD/libumwelt.so" | grep -vE '^(uw_[a-z]|__bss_start$|_edata$|_end$)' || true)
  is "$odd" ""
}

# nothing is exported that no header declares; what is declared but missing is told
test_the_library_exports_nothing_undeclared() {
  instrumented && skip "instrumented build"
  cat "$TOP"/core/include/umwelt/*.h | tr '\n' ' ' | grep -oE 'UW_API [^;(]*\(' | grep -oE 'uw_[a-z0-9_]+ *\($' | tr -d ' (' | sort -u >"$T/declared"
  defined "$BUILD/libumwelt.so" | grep ^uw_ | sort -u >"$T/exported"
  say "declared but not there: $(comm -23 "$T/declared" "$T/exported" | tr '\n' ' ')"
  is "$(comm -13 "$T/declared" "$T/exported")" ""
}

test_programs_export_nothing() {
  local program bad=0
  for program in umwelt umwelt-scan; do
    [ -e "$BUILD/$program" ] || continue
    defined "$BUILD/$program" 2>/dev/null | grep -qE '^uwi?_' && { say "$program exports its functions"; bad=1; }
  done
  return $bad
}

test_the_launcher_is_static() {
  [ -e "$BUILD/umwelt-launch" ] || skip "not built"
  ! readelf -lW "$BUILD/umwelt-launch" | grep -q INTERP
}

run_tests
