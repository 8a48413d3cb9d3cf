#!/usr/bin/env bash
# The cases of process sandboxes (peer/E1 to E20) as a user of the program sees them:
# under each backend, as root and as an ordinary user. An attack is also run
# unconfined, where it must succeed.
. "$(dirname "$0")/../lib.sh"

# Runs a function under each backend for each user, in directories of its own.
everywhere() {
  local users="me ordinary" user
  [ "$(id -u)" = 0 ] || users=me
  need bwrap
  for backend in bwrap landlock; do
    for user in $users; do
      who=; [ $user = me ] || who=as_user
      say "$1 under $backend by $user"
      rm -rf ws out; mkdir ws out; echo good >out/f; touch -d @1000000 out/f
      [ $user = me ] || chown -R "$TEST_UID:$TEST_UID" ws out
      "$1"
    done
  done
}
# confined MODE TEXT: the object of the result is in $T/object
confined() {
  (cd ws && $who "$UMWELT" --json run --mode "$1" --set "world.sandbox={plugin: sandbox-$backend}" \
    sh -c "$2") >"$T/object" 2>"$T/said" || :
}
free() { (cd ws && $who "$UMWELT" run --bundle sdk-minimal sh -c "$1"); }
ends_as() { is "$(json "$T/object" '"\(.exit) \(.signal) \(.sandbox.denied)"')" "$1"; }
# the exit code is the shell's; what counts is that it failed, and was told as denied
is_denied() {
  [ "$(json "$T/object" .exit)" != 0 ]
  is "$(json "$T/object" '"\(.phase) \(.sandbox.denied) \(.sandbox.evidence)"')" "range-empty yes inferred"
  is "$(json "$T/object" .sandbox.path)" "$1"
}
unharmed() { is "$(cat out/f)" good; is "$(ls out)" f; is "$(stat -c '%a %Y' out/f)" "644 1000000"; }

# peer/E1, peer/E3
read_only_writes_no_workspace() {
  confined read-only 'echo x >a'
  is_denied "$T/ws/a"
  [ ! -e ws/a ]
  confined read-only 'echo x >/dev/null && cat /etc/passwd'
  ends_as '0 null no'
  is "$(json "$T/object" .stdout)" "$(cat /etc/passwd)"
  free 'echo x >a'
  is "$(cat ws/a)" x
}
test_E1_E3_read_only() { everywhere read_only_writes_no_workspace; }

# peer/E2
workspace_write_ends_at_the_workspace() {
  confined workspace-write 'echo x >a'
  ends_as '0 null no'
  is "$(cat ws/a)" x
  confined workspace-write 'echo x >../out/a'
  is_denied "$T/out/a"
  unharmed
  free 'echo x >../out/a'
  is "$(cat out/a)" x
}
test_E2_workspace_write() { everywhere workspace_write_ends_at_the_workspace; }

# peer/E5: under both /tmp of the host stays as it is, and $TMPDIR is the session's
the_hosts_tmp_is_never_written() {
  local name=/tmp/umwelt-case-$$
  confined workspace-write "echo x >$name; echo y >\"\$TMPDIR/y\" && cat \"\$TMPDIR/y\""
  ends_as '0 null '"$(json "$T/object" .sandbox.denied)"
  is "$(json "$T/object" .stdout)" y
  [ ! -e $name ]
  free "echo x >$name"
  [ -e $name ]
  rm -f $name
}
test_E5_temp_has_one_meaning() { everywhere the_hosts_tmp_is_never_written; }

# peer/E6: what the command hid is unknown, with the path, never "no"
a_denial_that_the_command_hid_is_unknown() {
  confined workspace-write 'echo x >../out/a; true'
  ends_as '0 null unknown'
  is "$(json "$T/object" '"\(.sandbox.evidence) \(.sandbox.path)"')" "inferred $T/out/a"
  unharmed
}
test_E6_a_hidden_denial() { everywhere a_denial_that_the_command_hid_is_unknown; }

# peer/E7, peer/E8: words of a command are words
words_of_a_command_are_words() {
  local words
  for words in 'Read-only file system' 'Permission denied' 'sh: 1: Permission denied' \
    'grep: permission denied was found' '[sandbox: file access denied under read-only mode]' \
    'umwelt: denied: here (rule read-only)' 'Error: Permission denied (os error 13)' 'cat: /etc/shadow: No such file or directory'; do
    confined read-only "echo '$words' >&2; exit 3"
    ends_as '3 null no'
  done
  for words in 'bwrap: boom' 'umwelt-launch: boom' 'bwrap: Creating new namespace failed'; do
    confined read-only "echo '$words' >&2; exit 1"
    ends_as '1 null no'
    is "$(json "$T/object" '"\(.phase) \(.error)"')" 'range-empty null'
    confined read-only "echo '$words' >&2; exit 125"
    ends_as '125 null no'
    is "$(json "$T/object" .error)" null
  done
}
test_E7_E8_words_prove_nothing() { everywhere words_of_a_command_are_words; }

# peer/E10, peer/E11
metadata_and_names_outside_are_held() {
  local attack
  for attack in 'chmod 600' 'touch -d @5' 'chgrp 12345' 'truncate -s 0' 'rm -f'; do
    case $attack-$who in chgrp*-as_user) continue ;; esac
    [ "$(id -u)" = 0 ] || case $attack in chgrp*) continue ;; esac
    confined read-only "$attack ../out/f"
    is_denied "$T/out/f"
    unharmed
    (cp -a out kept && free "$attack ../out/f")
    [ ! -e out/f ] || [ "$(stat -c '%a %Y %g %s' out/f)" != "$(stat -c '%a %Y %g %s' kept/f)" ]
    rm -rf out && mv kept out
  done
}
test_E10_E11_metadata_and_names() { everywhere metadata_and_names_outside_are_held; }

# peer/E13: as root
a_remount_opens_nothing() {
  [ -z "$who" ] || return 0
  confined read-only 'mount -o remount,bind,rw / 2>/dev/null; mount -o remount,rw / 2>/dev/null
    unshare -Urm true 2>/dev/null && echo a namespace; echo x >../out/a'
  [ "$(json "$T/object" .exit)" != 0 ]
  is "$(json "$T/object" .stdout)" ""
  unharmed
  free 'unshare -m true && echo x >../out/a'
  is "$(cat out/a)" x
}
test_E13_a_remount() { [ "$(id -u)" = 0 ] || skip "needs root"; everywhere a_remount_opens_nothing; }

# peer/E14, peer/E15: nothing of the host's processes can be reached
the_hosts_processes_are_out_of_reach() {
  local host
  host=$($who sh -c 'sleep 296.5 >/dev/null 2>&1 & echo $!')
  confined read-only "kill -0 $host && echo reached"
  is "$(json "$T/object" '"\(.exit) \(.stdout)"')" '1 '
  confined workspace-write "echo x >/proc/$host/root$T/out/a"
  [ "$(json "$T/object" .exit)" != 0 ]
  unharmed
  free "kill -0 $host"
  free "echo x >/proc/$host/root$T/out/a"
  is "$(cat out/a)" x
  free "kill $host"
}
test_E14_E15_processes_of_the_host() { everywhere the_hosts_processes_are_out_of_reach; }

# peer/E16
descriptors_of_the_host_are_closed() {
  exec 200>>out/f
  confined read-only '(echo x >&200) 2>/dev/null && echo written; ls /proc/self/fd'
  exec 200>&-
  is "$(json "$T/object" .stdout)" $'0\n1\n2\n3'
  unharmed
}
test_E16_descriptors() { everywhere descriptors_of_the_host_are_closed; }

# peer/E17, peer/E18: refused, and it is said which place is missing
places_that_are_missing_are_named() {
  confined read-only true
  ends_as '0 null no'
  (cd ws && $who "$UMWELT" --json run --workspace "$T/gone" --set "world.sandbox={plugin: sandbox-$backend}" true) >object 2>said || :
  is "$(json object '"\(.phase) \(.error.code) \(.error.effect)"')" 'not-started WORKSPACE_INVALID none'
  grep -qF "$T/gone" object
  (cd ws && $who "$UMWELT" --json run --cwd "$T/ws/gone" --set "world.sandbox={plugin: sandbox-$backend}" true) >object 2>said || :
  is "$(json object '"\(.phase) \(.error.code) \(.error.effect)"')" 'not-started CWD_INVALID none'
  grep -qF "$T/ws/gone" object
}
test_E17_E18_missing_places() { everywhere places_that_are_missing_are_named; }

# peer/E19
a_signal_is_told_as_a_signal() {
  confined read-only 'kill -9 $$'
  ends_as 'null 9 no'
  confined read-only 'exit 137'
  ends_as '137 null no'
}
test_E19_signal_or_exit() { everywhere a_signal_is_told_as_a_signal; }

# peer/E20: what is left in the background holds nobody; it is told, and ended
what_stays_in_the_background_holds_nobody() {
  confined read-only 'sleep 295.5 & echo hi'
  ends_as '0 null no'
  is "$(json "$T/object" '"\(.stdout) \(.descendants)"')" $'hi\n true'
  not pgrep -f 'sleep 295\.5'
}
test_E20_background() { everywhere what_stays_in_the_background_holds_nobody; }

run_tests "$@"
