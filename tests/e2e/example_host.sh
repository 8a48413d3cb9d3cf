#!/usr/bin/env bash
# K-4: the example host, in under 80 lines, built against the public headers alone.
. "$(dirname "$0")/../lib.sh"

test_K4_it_writes_runs_and_reports() {
  "$BUILD/sdk/example_host" "$T" >out 2>err
  is "$(cat out)" "hello
exit 1, sandbox none, rule no-guard"
  is "$(cat err)" "cat: missing: No such file or directory"
  is "$(cat greeting)" hello
}

test_K4_it_tells_what_failed() {
  fails_with 1 "$BUILD/sdk/example_host" "$T/none"
  grep -q 'WORKSPACE_INVALID, effect none' stderr
}

test_K4_it_is_short() { [ "$(wc -l <"$TOP/sdk/example_host.c")" -lt 80 ]; }

run_tests "$@"
