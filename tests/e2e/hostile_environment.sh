#!/usr/bin/env bash
# C-21: no environment variable decides what confines or what is loaded.
. "$(dirname "$0")/../lib.sh"

# A place full of traps: each leaves a mark in $T/marks when it is used.
set_traps() {
  local name
  mkdir -p bin home/.config/umwelt/bundles home/.local/state home/plugins marks lib
  chmod 777 marks
  for name in bwrap umwelt-launch umwelt-scan umwelt-helper bash sh ssh git ldd; do
    printf '#!/bin/sh\n/bin/touch %s/marks/%s\nexit 0\n' "$T" "$name" >bin/$name; chmod 755 bin/$name
  done
  echo 'max_mode = "read-only"; nonsense = 1;' >home/.config/umwelt/umwelt.conf
  echo 'nonsense: true' >home/.config/umwelt/bundles/read-only.yaml
  printf '#include <unistd.h>\n#include <fcntl.h>\n__attribute__((constructor)) static void f(void) { (void)!open("%s/marks/library", O_CREAT | O_WRONLY, 0666); }\n' "$T" >trap.c
  need gcc
  gcc -shared -fPIC -o lib/libumwelt.so.1 trap.c
  cp lib/libumwelt.so.1 lib/fs-local.so
  chmod -R go+rX .
}

hostile() {
  env -i PATH="$T/bin" HOME="$T/home" XDG_CONFIG_HOME="$T/home/.config" XDG_STATE_HOME="$T/home/.local/state" \
    XDG_DATA_HOME="$T/home" XDG_CONFIG_DIRS="$T/home/.config" XDG_RUNTIME_DIR="$T/home" TMPDIR="$T/nowhere" TMP="$T/nowhere" \
    LD_LIBRARY_PATH="$T/lib" UMWELT_CONFIG="$T/home/.config/umwelt/umwelt.conf" UMWELT_PLUGINS="$T/lib" \
    UMWELT_PLUGIN_DIR="$T/lib" UMWELT_LAUNCH="$T/bin/umwelt-launch" BASH_ENV="$T/bin/bash" ENV="$T/bin/sh" "$@"
}

no_marks() { is "$(ls marks)" ""; }

# without it the tests below would prove nothing
test_the_traps_work_on_a_program_that_falls_for_them() {
  set_traps
  gcc -shared -fPIC -Wl,-soname,libumwelt.so.1 -o lib/libumwelt.so.1 trap.c
  echo 'int main(void) { return 0; }' >victim.c
  gcc -o victim victim.c -Wl,--no-as-needed lib/libumwelt.so.1
  hostile ./victim
  [ -e marks/library ]
  hostile /usr/bin/env bwrap
  [ -e marks/bwrap ]
}

test_C21_plugins_are_found_and_scanned_as_ever() {
  set_traps
  hostile "$UMWELT" plugins >out
  grep -q '^fs-local ' out
  no_marks
}

test_C21_a_command_runs_confined_as_ever() {
  set_traps
  mkdir ws; [ "$(id -u)" != 0 ] || chmod 777 ws
  hostile "$UMWELT" run --workspace "$T/ws" -- /bin/echo through >out
  is "$(cat out)" through
  no_marks
  # the fence stands: nothing outside can be written
  if hostile "$UMWELT" run --workspace "$T/ws" -- /bin/touch "$T/marks/outside"; then return 1; fi
  no_marks
}

test_C21_an_ordinary_user_is_served_the_same() {
  [ "$(id -u)" = 0 ] || skip "needs root to become another user"
  set_traps
  mkdir ws; chown "$TEST_UID" ws
  hostile "$(command -v setpriv)" --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups -- "$UMWELT" run --workspace "$T/ws" -- /bin/echo through >out
  is "$(cat out)" through
  no_marks
}

run_tests
