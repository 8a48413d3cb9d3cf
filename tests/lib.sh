# For end-to-end tests: sourced by each tests/e2e/*.sh, which defines functions
# test_* and ends with `run_tests`. Each runs in a subshell (bash -e) in a fresh
# directory $T, with its own state, and is one line of TAP. A test names the ids
# it shows: in its function's name or in the comment above it.
#
#   $UMWELT     the program            $BUILD   where it was built
#   say WORDS   a note in the log      skip WHY  ends the test, loudly, as skipped
#   need CMD    skips without CMD; in CI (CI=true) a missing one is a failure
#   as_user CMD...  runs CMD as an ordinary user without a passwd entry (root only)
#   fails_with N CMD...   CMD must exit with N; its stderr is in $T/stderr
#   not CMD...  CMD must fail (after a plain `!` bash would not stop)
#   json FILE EXPR   jq -r
set -u
BUILD=${BUILD:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
UMWELT=$BUILD/umwelt
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TEST_UID=${TEST_UID:-54321}
# a place that no backend masks and no workspace contains
TEST_ROOT=${TEST_ROOT:-/var/tmp}

say() { printf '# %s\n' "$*" >&2; }
skip() { printf '%s\n' "$*" >"$T/.skip"; exit 77; }
need() {
  command -v "$1" >/dev/null && return 0
  if [ "${CI:-}" = true ]; then say "missing in CI: $1"; exit 1; fi
  skip "needs $1"
}
as_user() { setpriv --reuid "$TEST_UID" --regid "$TEST_UID" --clear-groups --inh-caps=-all -- "$@"; }
fails_with() {
  local want=$1 got=0; shift
  "$@" 2>"$T/stderr" || got=$?
  [ "$got" = "$want" ] && return 0
  say "wanted exit $want, got $got: $*"; sed 's/^/#   /' "$T/stderr" >&2; return 1
}
not() { if "$@"; then say "wanted to fail: $*"; return 1; fi; }
json() { jq -r "$2" "$1"; }
is() { [ "$1" = "$2" ] && return 0; say "wanted [$2], got [$1]"; return 1; }

run_tests() {
  local names name n=0 status failed=0 root
  names=$(declare -F | awk '$3 ~ /^test_/ {print $3}')
  [ $# -gt 0 ] && names=$*
  root=$(mktemp -d "$TEST_ROOT/umwelt-e2e.XXXXXX"); chmod 755 "$root"
  for name in $names; do
    n=$((n + 1)); T=$root/$name; mkdir -p "$T"; status=0
    # not part of an || list: there bash would ignore -e in all of it
    (set -eE; export T; cd "$T"; trap 'say "line $LINENO of $name: $BASH_COMMAND"' ERR; "$name") >"$root/log" 2>&1 </dev/null
    status=$?
    if [ "$status" = 0 ]; then echo "ok $n - $name"
    elif [ "$status" = 77 ] && [ -e "$T/.skip" ]; then echo "ok $n - $name # SKIP $(cat "$T/.skip")"
    else echo "not ok $n - $name"; sed 's/^/  # /' "$root/log"; failed=1; fi
    chmod -R u+rwX "$T" 2>/dev/null; rm -rf "$T" 2>/dev/null
  done
  rm -rf "$root"
  echo "1..$n"
  exit $failed
}
