#!/usr/bin/env bash
# Umwelt builds itself, and runs the unit tests that run anywhere, in a
# workspace-write world under each backend, as root and as an ordinary user. Under
# bwrap an ordinary user's world knows no root, to whom the system belongs: there
# the tests that trust its files are passed over (tests/unit.h).
. "$(dirname "$0")/../lib.sh"
# a build of a sanitizer shows nothing more here
[ "$BUILD" = "$TOP/build" ] || { echo 1..0; exit 0; }

test_it_builds_itself_under_bwrap() { need bwrap; builds '{plugin: sandbox-bwrap}'; }
test_it_builds_itself_under_landlock() { builds '{plugin: sandbox-landlock}'; }
test_it_builds_itself_under_bwrap_as_a_user() { need bwrap; need setpriv; builds '{plugin: sandbox-bwrap}' as_user; }
test_it_builds_itself_under_landlock_as_a_user() { need setpriv; builds '{plugin: sandbox-landlock}' as_user; }

builds() {
  local sandbox=$1 who=${2:-}
  # the tracked files as they stand now, so that a change is tested before it is committed
  mkdir project
  (cd "$TOP" && git -c safe.directory='*' ls-files -z | tar --null -T - -c --ignore-failed-read 2>/dev/null) | tar -x -C project
  [ -z "$who" ] || chown -R "$TEST_UID:$TEST_UID" "$T"
  in_world env UW_TESTS_SHORT=1 make -s check-inside OPT=-O0 HARDEN= WARN=-w >log 2>&1 || { tail -n 40 log; return 1; }
  tail -n 1 log
  grep -qE '^[0-9]{3,} passed, 0 failed' log
  [ -x project/build/umwelt ]
}
in_world() {
  $who "$UMWELT" run --bundle read-only --mode workspace-write --workspace "$T/project" --set "world.sandbox=$sandbox" -- "$@"
}

run_tests "$@"
