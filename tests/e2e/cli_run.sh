#!/usr/bin/env bash
# umwelt run and sh: C-70..C-72, P-2, P-20, P-22, shell/S04, shell/S05, shell/S08, shell/S16, shell/S17.
. "$(dirname "$0")/../lib.sh"
SCHEMA=$TOP/docs/run-result.schema.json

# The file holds an object of C-72, by a real validator.
valid() {
  python3 - "$SCHEMA" "$1" <<'END'
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
text = open(sys.argv[2], encoding="utf-8").read()
assert text.endswith("\n") and len(text.splitlines()) == 1, text[:200]
assert "\\u0000" not in text
jsonschema.Draft202012Validator(schema).validate(json.loads(text))
END
}
run_json() { local status=0; "$UMWELT" --json "$@" >out 2>err || status=$?; valid out; echo $status >status; }

test_C71_the_status_is_the_command_s_own() {
  local n
  "$UMWELT" run true
  for n in 1 2 77 119 120 125 255; do fails_with $n "$UMWELT" run -- sh -c "exit $n"; done
  fails_with 143 "$UMWELT" run -- sh -c 'kill -TERM $$'
  fails_with 137 "$UMWELT" run -- sh -c 'kill -KILL $$'
  fails_with 137 "$UMWELT" run -- sh -c 'exit 137'
  fails_with 127 "$UMWELT" run no-such-program
  grep -q 'EXEC_NOT_FOUND' "$T/stderr"
  echo x >plain
  fails_with 126 "$UMWELT" run ./plain
  fails_with 126 "$UMWELT" run /
  fails_with 120 "$UMWELT" run ''
}

test_C72_exit_137_and_death_by_signal_9_differ() {
  run_json run sh -c 'exit 137'
  is "$(json out '"\(.exit) \(.signal)"')" "137 null"
  is "$(cat status)" 137
  run_json run sh -c 'kill -9 $$'
  is "$(json out '"\(.exit) \(.signal)"')" "null 9"
}

test_C72_the_object_is_valid_and_tells_all() {
  run_json run sh -c 'echo out; echo err >&2; exit 3'
  is "$(cat status)" 3
  is "$(cat err)" ""
  is "$(json out .stdout)" out
  is "$(json out .stderr)" err
  is "$(json out .phase)" range-empty
  is "$(json out '.decision | "\(.value) \(.rule)"')" "allow no-guard"
  is "$(json out '.sandbox | "\(.mode) \(.in_run)"')" "read-only true"
  [ "$(json out '.sandbox.operations | length')" = 18 ]
  [ "$(json out .timing.wall_us)" -gt 0 ]
  json out .request | grep -qE '^[0-9a-f]{32}$'
}

test_C72_what_failed_before_the_start_has_the_same_form() {
  run_json run no-such-program
  is "$(json out '"\(.phase) \(.error.code) \(.error.effect)"')" "not-started EXEC_NOT_FOUND none"
  is "$(cat status)" 127
  run_json run --bundle no-such-bundle true
  is "$(json out '"\(.phase) \(.error.code)"')" "not-started BUNDLE_NOT_FOUND"
  is "$(cat status)" 120
  run_json run --cwd /no/such true
  is "$(json out .error.code)" CWD_INVALID
  run_json run --workspace /no/such true
  is "$(json out .error.code)" WORKSPACE_INVALID
}

test_S04_any_bytes_become_valid_json_and_come_back() {
  need python3
  head -c 2000 /dev/urandom >bytes
  run_json run cat bytes
  python3 - <<'END'
import json, re
o = json.load(open("out"))
text = o["stdout"]
if "stdout" in o.get("escaped", []):
    b = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
else:
    b = text.encode()
assert b == open("bytes", "rb").read()
assert o["truncated"]["stdout"] == {"total": 2000, "omitted": 0}
END
  run_json run printf 'a\0b'
  is "$(json out '"\(.stdout) \(.escaped)"')" 'a\x00b ["stdout"]'
}

test_S05_line_separators_are_escaped_on_the_wire() {
  run_json run printf '\342\200\250\342\200\251\302\205'
  grep -q '\\u2028\\u2029\\u0085' out
  is "$(json out .escaped)" null
}

test_C72_long_output_is_cut_in_the_middle_and_says_so() {
  run_json run sh -c 'echo first; yes | head -c 4000000; echo last'
  is "$(json out .truncated.stdout.total)" 4000011
  [ "$(json out .truncated.stdout.omitted)" -gt 2000000 ]
  [ "$(json out '.stdout | length')" -lt 1200000 ]
  json out .stdout >text
  is "$(head -n 1 text)" first
  is "$(tail -n 2 text)" last
  grep -q '^\[\.\.\. [0-9]* bytes left out \.\.\.\]$' text
}

test_C70_status_fd_gets_the_object_and_streams_pass() {
  "$UMWELT" run --status-fd 5 sh -c 'echo out; echo err >&2' >stdout 2>stderr 5>out
  is "$(cat stdout)" out
  is "$(cat stderr)" err
  valid out
  is "$(json out '"\(.exit) \(.stdout)"')" "0 null"
}

test_C70_the_status_descriptor_is_not_the_command_s() {
  "$UMWELT" run --status-fd 5 sh -c 'ls /proc/self/fd' >stdout 5>out
  not grep -qx 5 stdout
}

test_C71_timeout_and_its_tree() {
  local before=$SECONDS
  fails_with 124 "$UMWELT" run --timeout 300ms sh -c 'trap "" TERM; sleep 290.5 & sleep 290.5'
  grep -q 'TIMED_OUT' "$T/stderr"
  [ $((SECONDS - before)) -lt 60 ]
  not pgrep -f 'sleep 290\.5' >/dev/null
  run_json run --timeout 200ms sleep 291.5
  is "$(json out .error.code)" TIMED_OUT
  is "$(cat status)" 124
}

test_C71_a_signal_is_relayed_to_the_command() {
  local pid status=0
  "$UMWELT" run sh -c 'trap "echo got; exit 9" TERM; echo ready; while :; do sleep 0.05; done' >out 2>err &
  pid=$!
  until grep -q ready out; do sleep 0.05; done
  kill -TERM $pid
  wait $pid || status=$?
  is $status 9
  is "$(tail -n 1 out)" got
}

test_C71_a_second_interrupt_ends_a_command_that_ignores_it() {
  need python3
  # not from a background job of this shell: that would ignore INT
  python3 - "$UMWELT" <<'END'
import signal, subprocess, sys
p = subprocess.Popen([sys.argv[1], "run", "sh", "-c", "trap '' INT; echo ready; sleep 292.5; sleep 292.5"],
                     stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
assert p.stdout.readline() == b"ready\n"
p.send_signal(signal.SIGINT)
try:
    p.wait(0.5)
    raise SystemExit("the first one ended it")
except subprocess.TimeoutExpired:
    pass
p.send_signal(signal.SIGINT)
assert p.wait(60) == 124, p.returncode
END
  not pgrep -f 'sleep 292\.5' >/dev/null
}

test_C71_stdin_is_passed() {
  is "$(echo words | "$UMWELT" run cat)" words
  is "$("$UMWELT" run cat </dev/null)" ""
  fails_with 1 "$UMWELT" run cat <&-
}

test_P2_a_name_with_a_slash_starts_at_the_working_directory() {
  mkdir -p sub/deep
  printf '#!/bin/sh\necho "ran $0 in $(pwd)"\n' >sub/tool
  chmod +x sub/tool
  is "$("$UMWELT" run sub/tool)" "ran $T/sub/tool in $T"
  (cd sub && is "$("$UMWELT" run --workspace "$T" ./tool)" "ran $T/sub/./tool in $T/sub")
  is "$("$UMWELT" run --cwd sub ./tool)" "ran $T/sub/./tool in $T/sub"
}

test_C70_the_working_directory_is_ours_within_the_workspace_else_the_workspace() {
  mkdir -p ws/sub other
  is "$(cd ws/sub && "$UMWELT" run --workspace .. pwd)" "$T/ws/sub"
  is "$(cd other && "$UMWELT" run --workspace ../ws pwd)" "$T/ws"
  is "$("$UMWELT" run --workspace ws --cwd sub pwd)" "$T/ws/sub"
  fails_with 120 "$UMWELT" run --cwd no-such true
  grep -q CWD_INVALID "$T/stderr"
}

test_S17_credentials_are_kept_and_env_is_set() {
  AWS_SECRET_ACCESS_KEY=x GITHUB_TOKEN=y MONKEY=z "$UMWELT" run --env A=1 --env 'B=x y' env >out
  not grep -qE 'SECRET|TOKEN' out
  grep -qx MONKEY=z out
  grep -qx A=1 out
  grep -qx 'B=x y' out
}

test_C71_a_denial_is_marked_on_stderr() {
  fails_with 2 "$UMWELT" run sh -c 'echo x >made' >out
  [ ! -e made ]
  grep -qF '[sandbox: file access denied under read-only mode]' "$T/stderr"
  grep -q '^\[hint: ' "$T/stderr"
  run_json run sh -c 'echo x >made'
  is "$(json out .sandbox.denied)" yes
  # without confinement the same attack succeeds
  "$UMWELT" run --bundle sdk-minimal sh -c 'echo x >made'
  is "$(cat made)" x
}

test_C71_workspace_write_writes_there_and_not_elsewhere() {
  mkdir ws
  (cd ws && "$UMWELT" run --mode workspace-write sh -c 'echo in >made')
  is "$(cat ws/made)" in
  (cd ws && fails_with 2 "$UMWELT" run --mode workspace-write sh -c 'echo out >../made')
  [ ! -e made ]
}

test_C71_a_confined_world_that_cannot_be_had_is_refused_and_nothing_runs() {
  fails_with 123 "$UMWELT" run --set world.sandbox=none sh -c "echo x >$T/made"
  [ ! -e made ]
}

test_S08_text_reaches_the_shell_byte_for_byte() {
  cat >text <<'END'
cat <<'E-F'
it's $x \\b !{} `x` "q"
E-F
END
  is "$("$UMWELT" sh "$(cat text)")" "$(bash text)"
}

test_P20_sh_runs_in_bash_with_the_same_rules() {
  is "$("$UMWELT" sh 'echo $BASH_VERSION | cut -c1-2')" "$(bash -c 'echo $BASH_VERSION' | cut -c1-2)"
  fails_with 7 "$UMWELT" sh 'exit 7'
  is "$(echo in | "$UMWELT" sh cat)" in
  run_json sh 'echo hi; exit 4'
  is "$(json out '"\(.stdout) \(.exit)"')" "hi
 4"
  fails_with 124 "$UMWELT" sh --timeout 200ms 'sleep 293'
  fails_with 120 "$UMWELT" sh --timeout 10000000 'true'
}

test_C61_many_and_large_arguments_pass() {
  local big
  big=$(head -c 120000 /dev/zero | tr '\0' x)
  is "$("$UMWELT" run printf %s "$big" | wc -c)" 120000
  # shellcheck disable=SC2046
  is "$("$UMWELT" run sh -c 'echo $#' sh $(seq 9500))" 9500
  is "$("$UMWELT" run printf '[%s]' '' $'a\nb' $'\xff' | od -An -c | tr -d ' \n')" '[][a\nb][377]'
}

test_C61_a_full_stdout_of_json_is_told() {
  fails_with 125 "$UMWELT" run --json true >/dev/full
  grep -q 'effect: done' "$T/stderr"
}

test_C71_a_reader_that_goes_away_ends_the_command_as_in_a_pipe() {
  is "$("$UMWELT" run yes | head -n 1)" y
  is "$("$UMWELT" run sh -c 'yes >&2' 2>&1 >/dev/null | head -n 1)" y
}

test_C70_a_result_that_cannot_be_delivered_is_told() {
  mkfifo pipe
  sleep 600 <pipe & # opens it, and goes away before the result comes
  exec 5>pipe
  kill $!; wait $! || true
  fails_with 125 "$UMWELT" run --status-fd 5 true
  grep -q 'IO_ERROR.*--status-fd' "$T/stderr"
  grep -q 'effect: done' "$T/stderr"
}

test_C61_limits_of_the_caller_end_in_an_error_or_a_result() {
  local limit status
  for limit in '-n 6' '-n 12' '-n 20' '-u 1' '-s 64' '-t 1'; do
    status=0
    # shellcheck disable=SC2086
    (ulimit $limit; "$UMWELT" run echo ok) >out 2>err || status=$?
    if [ $status = 0 ]; then is "$(cat out)" ok; else [ $status -lt 126 ]; grep -q '^umwelt: [A-Z_]*: ' err; fi
  done
}

test_C61_directories_of_any_name() {
  local name=$'n\nl\xff "x'
  mkdir "$name"
  cd "$name"
  is "$("$UMWELT" run pwd)" "$PWD"
  echo x | "$UMWELT" write --mode workspace-write f
  is "$("$UMWELT" run --cwd "$PWD" cat f)" x
  ln -s "$PWD" "$T/link"
  is "$("$UMWELT" run --workspace "$T/link" cat f)" x
}

test_C61_a_deleted_working_directory() {
  mkdir gone ws
  (cd gone && rmdir "$T/gone" && fails_with 120 "$UMWELT" run true)
  grep -qE 'WORKSPACE_INVALID' "$T/stderr"
  mkdir gone
  (cd gone && rmdir "$T/gone" && is "$("$UMWELT" run --workspace "$T/ws" pwd)" "$T/ws")
}

test_C61_an_ordinary_user_without_home_and_passwd_entry() {
  [ "$(id -u)" = 0 ] || skip "needs root"
  mkdir ws && chown "$TEST_UID:$TEST_UID" ws && cd ws
  is "$(as_user env -i "$UMWELT" run id -u)" "$TEST_UID"
  as_user env -i "$UMWELT" run --mode workspace-write sh -c 'echo x >made'
  is "$(cat made)" x
  is "$(echo y | as_user env -i "$UMWELT" write --mode workspace-write two && cat two)" y
}

test_P12_kill_9_leaves_nothing() {
  local pid n=0
  "$UMWELT" run sh -c 'echo ready; sleep 294.5 & sleep 294.5' >out &
  pid=$!
  until grep -q ready out; do sleep 0.05; done
  kill -9 $pid
  while pgrep -f 'sleep 294\.5' >/dev/null; do n=$((n + 1)); [ $n -lt 200 ]; sleep 0.05; done
}

test_C40_nothing_is_left_behind() {
  ls -A /var/tmp | sort >before
  "$UMWELT" run sh -c 'echo x >$TMPDIR/file; mkdir $TMPDIR/dir' || true
  fails_with 127 "$UMWELT" run no-such-program
  ls -A /var/tmp | sort >after
  is "$(comm -13 before after | grep -c 'umwelt-[0-9a-f]*$' || true)" 0
}

run_tests
