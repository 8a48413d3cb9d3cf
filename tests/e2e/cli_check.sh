#!/usr/bin/env bash
# check, doctor, plugins: C-7, C-10, C-11, C-70, C-73.
. "$(dirname "$0")/../lib.sh"

test_C70_check_of_each_preset() {
  local bundle
  for bundle in read-only sdk-minimal; do
    "$UMWELT" check $bundle >out || { "$UMWELT" check $bundle; return 1; }
    grep -q 'no problems' out
  done
  is "$("$UMWELT" check --json read-only | jq -c '[.valid, .problems]')" '[true,[]]'
}

test_C10_all_problems_are_told_with_their_places() {
  printf 'umwelt: 1\nextends: read-only\npolciy: {}\npolicy: {mode: maybe}\n' >b.yaml
  fails_with 120 "$UMWELT" check ./b.yaml
  grep -q 'b.yaml:3:' "$T/stderr"
  grep -q 'b.yaml:4:' "$T/stderr"
  fails_with 120 "$UMWELT" check --json ./b.yaml >out
  is "$(json out .valid)" false
  [ "$(json out '.problems | length')" -ge 2 ]
  fails_with 120 "$UMWELT" check no-such-preset
  grep -q BUNDLE_NOT_FOUND "$T/stderr"
}

test_C11_resolved_prints_the_merged_bundle() {
  "$UMWELT" check --resolved read-only >out
  grep -q '^world:' out
  "$UMWELT" check --resolved read-only --set policy.mode=workspace-write | grep -q 'mode: workspace-write'
}

test_C70_prove_opens_the_world() {
  "$UMWELT" check --prove >out
  grep -qE '^proven: sandbox [a-z]+, proof (fresh|cached)' out
}

test_C7_plugins_lists_and_shows_keys() {
  "$UMWELT" plugins >out
  grep -q '^fs-local ' out
  grep -q '^subprocess-local ' out
  "$UMWELT" plugins subprocess-local | grep -q '^keys:'
  "$UMWELT" plugins --json | jq -e '.plugins | length > 3' >/dev/null
  fails_with 121 "$UMWELT" plugins no-such
  grep -q PLUGIN_NOT_FOUND "$T/stderr"
}

test_C73_doctor_tells_each_backend_and_the_bundle() {
  local status=0
  "$UMWELT" doctor >out || status=$?
  grep -qE '^sandbox-landlock: (not )?usable' out
  grep -qE '^sandbox-bwrap: (not )?usable' out
  if [ $status = 0 ]; then grep -q '^bundle read-only: usable' out; else grep -q '^bundle read-only: not usable' out; fi
  grep -q '^  content ' out
  "$UMWELT" doctor --explain | grep -q 'changing the content of files'
  "$UMWELT" doctor --json | jq -e '.backends | length >= 2' >/dev/null
  is "$(ls -d /var/tmp/umwelt-doctor.* 2>/dev/null | wc -l)" 0
}

test_C73_doctor_fails_where_the_bundle_cannot_work() {
  printf 'umwelt: 1\nextends: read-only\nworld: {sandbox: none}\n' >b.yaml
  local status=0
  "$UMWELT" doctor --bundle ./b.yaml >out || status=$?
  [ $status != 0 ]
  grep -q '^bundle ./b.yaml: not usable' out
}

test_P3_doctor_prints_the_rules_of_the_environment() {
  "$UMWELT" doctor --env >out
  grep -q 'TOKEN' out
  grep -q 'LD_' out
}

run_tests
