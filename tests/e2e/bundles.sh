#!/usr/bin/env bash
# Bundles as an operator meets them: check, --resolved, schema (C-10..C-15).
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# a base that lies where a workspace does not hold it
write_bundle() { mkdir -p "$T/ws" "$T/own"; cat >"$T/own/b.yaml"; cd "$T/ws"; }

test_all_problems_of_a_bundle_are_told_with_their_places() { # C-10
  write_bundle <<'Y'
umwelt: 1
extends: read-only
polcy: {}
policy: { mode: read-onyl, mode: read-only }
limits: { max_running: 0 }
Y
  fails_with 120 "$UMWELT" check ../own/b.yaml
  grep -qF '../own/b.yaml:3:1: polcy: there is no such key; did you mean `policy`?' "$T/stderr"
  grep -qF 'b.yaml:4:28: policy.mode: the key is here a second time' "$T/stderr"
  grep -qF 'b.yaml:4:17: policy.mode: `read-onyl` is none of read-only' "$T/stderr"
  grep -qF 'b.yaml:5:24: limits.max_running: 0 is out of its bounds' "$T/stderr"
}

test_resolved_prints_the_same_world_with_origins() { # C-11
  write_bundle <<'Y'
umwelt: 1
extends: sdk-minimal
limits: { max_running: 2 }
Y
  "$UMWELT" check ../own/b.yaml --workspace "$T/ws" --set limits.max_queued=7 --resolved >"$T/own/again.yaml"
  grep -q '  max_running: 2  # .*own/b.yaml:3:24$' "$T/own/again.yaml"
  grep -q '  max_queued: 7  # --set limits.max_queued$' "$T/own/again.yaml"
  "$UMWELT" check ../own/again.yaml --workspace "$T/ws" --resolved | sed 's/  # .*//' >"$T/third"
  sed 's/  # .*//' "$T/own/again.yaml" | diff - "$T/third"
}

test_a_document_in_the_workspace_only_narrows() { # C-15
  write_bundle <<'Y'
umwelt: 1
extends: read-only
policy: { network: none }
Y
  cp ../own/b.yaml in.yaml
  "$UMWELT" check in.yaml
  for key in 'policy: { workspace: / }' 'policy: { git: full }' 'world: { sandbox: none }' 'env: [HOME]'; do
    printf 'umwelt: 1\nextends: read-only\n%s\n' "$key" >in.yaml
    fails_with 120 "$UMWELT" check in.yaml
    grep -q BUNDLE_UNTRUSTED "$T/stderr"
  done
}

test_a_typing_error_in_a_plugins_key_is_told_without_loading_it() { # C-10, C-70
  write_bundle <<'Y'
umwelt: 1
extends: read-only
policy: { netwrok: none }
Y
  fails_with 120 "$UMWELT" check ../own/b.yaml
  grep -qF 'b.yaml:3:11: policy.netwrok: there is no such key; did you mean `network`?' "$T/stderr"
}

test_check_sees_how_the_parts_of_a_world_fit() { # C-9, C-13
  mkdir ws; cd ws
  fails_with 120 "$UMWELT" check sdk-minimal --mode read-only
  grep -q 'SANDBOX_UNAVAILABLE: .*sdk-minimal.yaml:7:12: world.sandbox: nothing confines' "$T/stderr"
  fails_with 120 "$UMWELT" check read-only --set 'grants={shell-bash: [subprocess]}'
  grep -q 'CAPABILITY_WITHHELD: --set grants: grants: shell-bash requires subprocess/1' "$T/stderr"
  fails_with 120 "$UMWELT" check read-only --set 'world.subprocess={plugin: policy}'
  grep -q 'the plugin policy provides no subprocess' "$T/stderr"
  fails_with 120 "$UMWELT" check workspace # until its guard is built
  grep -q 'PLUGIN_NOT_FOUND: .*: guard: no trusted directory holds a plugin guard-rules' "$T/stderr"
  "$UMWELT" check read-only --set 'services.lsp={plugin: gone}' 2>"$T/stderr"
  grep -q 'warning: .*services.lsp: there is no plugin gone' "$T/stderr"
}

test_the_presets_validate_by_the_printed_schema() { # C-14
  need python3
  "$UMWELT" schema >"$T/schema.json"
  python3 "$TOP/tests/schema/validate.py" "$T/schema.json" "$BUILD"/bundles/*.yaml
  printf 'bad: { umwelt: 1, extends: read-only, policy: { plugin: policy, netwrok: none } }\n' >"$T/x.cases.yaml"
  python3 "$TOP/tests/schema/validate.py" "$T/schema.json" "$T/x.cases.yaml"
}

run_tests
