#!/usr/bin/env bash
# Usage, exit statuses 120, closed and broken descriptors: C-61, C-70, C-71, C-73.
. "$(dirname "$0")/../lib.sh"

test_C70_mistakes_are_120_with_nothing_on_stdout() {
  local words
  while read -r words; do
    # shellcheck disable=SC2086
    fails_with 120 "$UMWELT" $words >out
    is "$(cat out)" ""
    grep -q '^umwelt: INVALID_ARGS: ' "$T/stderr" || { cat "$T/stderr"; say "words: $words"; return 1; }
  done <<'END'

frobnicate
run
run --
run --nonsense true
run --mode
run --mode sometimes true
run --timeout 0 true
run --timeout forever true
run --env NAME true
run --env =x true
run --json=1 true
read
read a b
read --lines 0:1 a
read --create a
write --create --if-version v1:x a
write --if-version nonsense a
edit a
edit a --old x
edit a --old x --new y --edits f
mv a
stat
check a b
check --bundle a b
explain NO_SUCH_CODE
--lines 1:2 read a
END
}

test_C70_what_is_not_built_says_so() {
  local name
  for name in $("$UMWELT" --help | awk '/\(not in this build\)$/ {print $1}'); do
    fails_with 120 "$UMWELT" $name
    grep -q '^umwelt: NOT_BUILT: ' "$T/stderr"
    fails_with 120 "$UMWELT" $name --json list >out
    is "$(json out .error.code)" NOT_BUILT
  done
  fails_with 120 "$UMWELT" run --session x true
  grep -q NOT_BUILT "$T/stderr"
  fails_with 120 "$UMWELT" run --ask true
  fails_with 120 "$UMWELT" run --approval x true
}

test_C70_an_error_as_json_is_one_object_on_stdout() {
  fails_with 120 "$UMWELT" --json frobnicate >out
  is "$(wc -l <out)" 1
  is "$(json out '.error | "\(.code) \(.effect)"')" "INVALID_ARGS none"
}

test_C60_explain_knows_each_code_and_near_misses() {
  local code
  "$UMWELT" explain | cut -d' ' -f1 >codes
  [ "$(wc -l <codes)" -gt 60 ]
  for code in FS_NOT_FOUND SANDBOX_UNAVAILABLE REALM_MISMATCH; do grep -qx $code codes; done
  "$UMWELT" explain UW_E_FS_STALE_VERSION | grep -q 'advice: '
  fails_with 120 "$UMWELT" explain FS_NOTFOUND
  grep -q 'did you mean FS_NOT_FOUND' "$T/stderr"
}

test_C73_help_is_everywhere_and_on_stdout() {
  local command
  "$UMWELT" --help | grep -q '^usage: umwelt '
  "$UMWELT" -h >/dev/null
  "$UMWELT" help read | grep -q '^usage: umwelt read '
  for command in $("$UMWELT" __complete | grep -v '^--'); do
    "$UMWELT" "$command" --help 2>stderr | grep -q "^usage: umwelt $command"
    is "$(cat stderr)" ""
  done
  "$UMWELT" --version | grep -q '^umwelt [0-9]'
  is "$("$UMWELT" version --json | jq -r .abi_major)" 1
}

test_C61_a_full_or_closed_stdout_is_an_error_and_no_crash() {
  fails_with 1 "$UMWELT" explain >/dev/full
  grep -q 'IO_ERROR.*No space left' "$T/stderr"
  fails_with 1 "$UMWELT" explain >&-
  grep -q 'IO_ERROR' "$T/stderr"
  fails_with 1 "$UMWELT" explain --json >/dev/full
}

test_C61_a_reader_that_goes_away_is_no_message() {
  local status
  { sleep 0.2; "$UMWELT" explain || echo $? >status; } 2>err | true
  status=$(cat status)
  is "$status" 141
  is "$(cat err)" ""
}

test_C61_a_closed_stderr_changes_nothing() {
  local status=0
  "$UMWELT" frobnicate 2>&- || status=$?
  is $status 120
  status=0
  "$UMWELT" frobnicate 2>/dev/full || status=$?
  is $status 120
}

test_C70_a_bad_status_fd_is_refused_before_anything() {
  fails_with 120 "$UMWELT" run --status-fd 77 touch "$T/made"
  fails_with 120 "$UMWELT" run --status-fd x touch "$T/made"
  fails_with 120 "$UMWELT" run --status-fd -1 touch "$T/made"
  fails_with 120 "$UMWELT" run --status-fd 99999999999999999999 touch "$T/made"
  fails_with 120 "$UMWELT" run --status-fd 5 touch "$T/made" 5</dev/null
  [ ! -e "$T/made" ]
}

test_C61_very_long_words_are_refused_or_passed_but_never_crash() {
  local long
  long=$(head -c 100000 /dev/zero | tr '\0' x)
  fails_with 120 "$UMWELT" "--$long"
  fails_with 120 "$UMWELT" "$long"
  fails_with 120 "$UMWELT" explain "$long"
  fails_with 120 "$UMWELT" run --mode "$long" true
  fails_with 1 "$UMWELT" read "$long"
  grep -q FS_NAME_TOO_LONG "$T/stderr"
}

test_C61_an_empty_argument_vector_is_a_usage_error() {
  local status=0
  (exec -a '' "$UMWELT") 2>err || status=$?
  is $status 120
  grep -q '^umwelt: INVALID_ARGS' err
}

test_C70_control_bytes_of_arguments_do_not_reach_the_terminal() {
  fails_with 120 "$UMWELT" $'\033[31mred\numwelt: forged'
  not grep -q $'\033' "$T/stderr"
  is "$(grep -c '^umwelt: ' "$T/stderr")" 1
}

run_tests
