#!/usr/bin/env bash
# The main job, end to end, in a throw-away clone of this repository: a world with
# mode workspace-write builds the project, an edit is made and verified, a write
# outside is denied and attributed. Every step is checked; the first that is not
# as it must be ends this with status 1.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
umwelt=$top/build/umwelt
room=$(mktemp -d /var/tmp/umwelt-try.XXXXXX)
outside=$room/outside
trap 'rm -rf "$room"' EXIT
mkdir "$outside"
git -c safe.directory='*' clone -q "$top" "$room/project"
world=(--bundle read-only --mode workspace-write --workspace "$room/project")

show() { printf '\n$ umwelt %s\n' "${*//$room/ROOM}"; }
die() { printf 'try: %s\n' "$*" >&2; exit 1; }
# the words before the world's own options are shown, these are not
run() { local verb=$1; shift; show "$verb" "$@"; "$umwelt" "$verb" "${world[@]}" "$@"; }

echo "A world over a clone of this repository (ROOM is $room):"
echo "umwelt VERB --bundle read-only --mode workspace-write --workspace ROOM/project ..."

run run -- make -s -j2 all
[ -x "$room/project/build/umwelt" ] || die "the build left no build/umwelt"
echo "built: build/umwelt, $(ls "$room/project/build/plugins" | wc -l) plugins"

run edit README.md --old '# Umwelt' --new '# Umwelt, edited in its world'
run read README.md --lines 1:1 | tee "$room/seen"
grep -qx '# Umwelt, edited in its world' "$room/seen" || die "the edit is not in the file"
show sh -- 'git status --short'
"$umwelt" sh "${world[@]}" 'git -c safe.directory="*" status --short' | tee "$room/seen"
grep -q 'M README.md' "$room/seen" || die "git inside the world does not see the edit"

status=0
show run --json -- touch "$outside/escaped"
"$umwelt" run "${world[@]}" --json -- touch "$outside/escaped" >"$room/denied.json" || status=$?
[ ! -e "$outside/escaped" ] || die "a process wrote outside the workspace"
[ "$status" = 1 ] || die "touch outside ended with status $status"
jq -e '.sandbox.denied == "yes"' "$room/denied.json" >/dev/null || die "the denial was not attributed: $(cat "$room/denied.json")"
jq -r '"denied: \(.sandbox.denied) by \(.sandbox.backend), evidence \(.sandbox.evidence), path \(.sandbox.path)"' "$room/denied.json" | sed "s|$room|ROOM|"

status=0
show write "$outside/escaped"
echo x | "$umwelt" write "${world[@]}" "$outside/escaped" 2>"$room/refused" || status=$?
[ ! -e "$outside/escaped" ] || die "fs wrote outside the workspace"
[ "$status" = 1 ] && grep -qF '[sandbox: file access denied under workspace-write mode]' "$room/refused" || die "fs refused otherwise: $(cat "$room/refused")"
sed "s|$room|ROOM|" "$room/refused"
touch "$outside/escaped" || die "the place outside is not writable at all: nothing was shown"

printf '\ntry: the project was built, edited and kept inside its world\n'
