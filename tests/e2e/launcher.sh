#!/usr/bin/env bash
# umwelt-launch as a program: its usage, and --prove inside and outside of a sandbox (S-30).
. "$(dirname "$0")/../lib.sh"
LAUNCH=$BUILD/umwelt-launch

# a place of the test that users can reach, and the program where they can run it
setup() {
  chmod 755 "$T"; mkdir ws out; cp "$LAUNCH" launch
  [ "$(id -u)" != 0 ] || chown "$TEST_UID" ws out
  printf '0123456789abcdef' >nonce; HEX=30313233343536373839616263646566
}
in_sandbox() { # [as_user] CMD...
  "$1" bwrap --ro-bind / / --dev /dev --proc /proc --bind "$T/ws" "$T/ws" --unshare-pid -- "${@:2}"
}

# S-50: static, nothing of the machine is loaded
test_it_needs_no_library_and_no_environment() {
  if readelf -lW "$LAUNCH" | grep -q INTERP; then return 1; fi
  is "$(env -i "$LAUNCH" --version | cut -d' ' -f1)" umwelt-launch
}

test_a_wrong_word_is_125_and_one_line() {
  fails_with 125 "$LAUNCH" --frob; is "$(wc -l <"$T/stderr")" 1
  fails_with 125 "$LAUNCH"; grep -q 'started by Umwelt' "$T/stderr"
  fails_with 125 "$LAUNCH" --prove; fails_with 125 "$LAUNCH" --prove --allow relative
  fails_with 125 "$LAUNCH" --prove --nonce /etc/passwd xyz
  "$LAUNCH" --help | grep -q -- --prove
}

# S-30: a runner that merely executes its arguments fails the proof
test_prove_fails_where_nothing_confines() {
  setup
  fails_with 1 env "$T/launch" --prove --allow "$T/ws" --deny "$T/out" >said
  grep -qxF "allow $T/ws ok" said; grep -qxF "deny $T/out CREATED" said
  is "$(ls -A out ws | grep -c umwelt)" 0 || return 1
}

# by effects: what may be written is, what may not is not, the nonce is this place's
test_prove_passes_in_a_sandbox_that_holds() {
  need bwrap; setup
  users=env
  [ "$(id -u)" != 0 ] || users="env as_user"
  for user in $users; do
    in_sandbox "$user" "$T/launch" --prove --allow "$T/ws" --deny "$T/out" /var/tmp --nonce "$T/nonce" "$HEX" >said
    grep -qxF "allow $T/ws ok" said; grep -qxF "deny $T/out refused EROFS" said
    grep -qxF "deny /var/tmp refused EROFS" said; grep -qxF "nonce ok" said
  done
}

test_prove_tells_a_wrong_place() {
  setup
  printf 'another' >other
  fails_with 1 "$T/launch" --prove --nonce "$T/other" "$HEX" >said; grep -qx 'nonce differs' said
  fails_with 1 "$T/launch" --prove --nonce "$T/none" "$HEX" >said; grep -qx 'nonce ENOENT' said
  # what is not there refuses a create too, and proves nothing
  fails_with 1 "$T/launch" --prove --deny "$T/none" >said; grep -qxF "deny $T/none refused ENOENT" said
  mkdir "$T/new
line"
  "$T/launch" --prove --allow "$T/new
line" >said; grep -qxF "allow $T/new\\x0aline ok" said
}

run_tests "$@"
