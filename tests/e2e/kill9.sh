#!/usr/bin/env bash
# P-12: kill -9 of the host at random moments, under each backend and none, as
# root and as an ordinary user. Trees with setsid, double fork and TERM ignored:
# nothing survives, and the next start leaves nothing over.
. "$(dirname "$0")/../lib.sh"

ROUNDS=${KILL9_ROUNDS:-$([ "${UW_TESTS_SHORT:-}" = 1 ] && echo 20 || echo 200)}

test_P12_nothing_survives_kill_9_without_a_sandbox() { kill9 none danger-full-access; }
test_P12_nothing_survives_kill_9_under_bwrap() { need bwrap; kill9 '{plugin: sandbox-bwrap}' workspace-write; }
test_P12_nothing_survives_kill_9_under_landlock() { kill9 '{plugin: sandbox-landlock}' workspace-write; }
# the attack is real: the same trees, whose starter is killed the same way, live on
test_P12_the_same_trees_survive_without_umwelt() { python3 "$TOP/tests/e2e/kill9.py" --bare --rounds 3 --workspace "$T"; }

kill9() {
  python3 "$TOP/tests/e2e/kill9.py" --umwelt "$UMWELT" --rounds "$ROUNDS" --workspace "$T" --sandbox "$1" --mode "$2"
  if [ "$(id -u)" = 0 ]; then
    chmod 777 "$T"
    python3 "$TOP/tests/e2e/kill9.py" --umwelt "$UMWELT" --rounds $((ROUNDS / 4)) --workspace "$T" --sandbox "$1" --mode "$2" --uid "$TEST_UID"
  fi
}

run_tests "$@"
