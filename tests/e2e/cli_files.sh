#!/usr/bin/env bash
# File commands: C-70, C-71, F-2, F-12, F-34, files/F31.
. "$(dirname "$0")/../lib.sh"
W="--mode workspace-write"

test_F12_read_prints_the_bytes() {
  printf '\357\273\277a\r\nb\377\n\0' >f
  "$UMWELT" read f | cmp - f
  printf 'one\ntwo\nthree' >g
  is "$("$UMWELT" read --lines 2:3 g)" "two
three"
  is "$("$UMWELT" read --lines 3 g)" three
  is "$("$UMWELT" read --lines 9: g)" ""
}

test_F12_read_json_tells_what_the_text_is() {
  printf '\357\273\277a\r\nb' >f
  "$UMWELT" read --json f >out
  is "$(json out '"\(.class) \(.eol) \(.bom) \(.last_line_ends) \(.lines.total)"')" "utf-8 crlf true false 2"
  json out .version | grep -q '^v1:'
  is "$(json out .version)" "$("$UMWELT" stat --json f | jq -r .version)"
  printf 'caf\351\n' >g
  "$UMWELT" read --json g >out
  is "$(json out '"\(.class) \(.escaped)"')" 'bytes ["text"]'
  is "$(json out .text)" 'caf\xe9'
  printf 'a\0' >h
  "$UMWELT" read --json h >out
  is "$(json out '"\(.class) \(.text) \(.bytes)"')" "binary null 2"
}

test_C71_failures_are_1_with_the_code() {
  mkdir d; mkfifo p
  fails_with 1 "$UMWELT" read nothing; grep -q FS_NOT_FOUND "$T/stderr"
  fails_with 1 "$UMWELT" read d; grep -q FS_NOT_REGULAR_FILE "$T/stderr"
  fails_with 1 "$UMWELT" read p; grep -q FS_NOT_REGULAR_FILE "$T/stderr"
  fails_with 1 "$UMWELT" ls nothing; grep -q FS_NOT_FOUND "$T/stderr"
  fails_with 1 "$UMWELT" stat nothing; grep -q FS_NOT_FOUND "$T/stderr"
  fails_with 1 "$UMWELT" read ''; grep -q FS_BAD_PATH "$T/stderr"
  fails_with 1 "$UMWELT" rm $W d/x; grep -q FS_NOT_FOUND "$T/stderr"
  fails_with 1 "$UMWELT" read --json nothing >out
  is "$(json out '.error | "\(.code) \(.effect)"')" "FS_NOT_FOUND none"
}

test_F34_a_refused_mutation_is_marked_and_changes_nothing() {
  local words
  echo old >f; mkdir d
  for words in 'write f' 'write new' 'edit f --old old --new new' 'rm f' 'mv f g' 'mkdir e' 'rm -r d'; do
    # shellcheck disable=SC2086
    fails_with 1 "$UMWELT" $words <<<new
    grep -q 'FS_SANDBOX_DENIED' "$T/stderr"
    grep -qxF '[sandbox: file access denied under read-only mode]' "$T/stderr"
    grep -q '^\[hint: ' "$T/stderr"
  done
  is "$(cat f)" old
  is "$(ls | grep -v stderr)" "d
f"
  # the same with a wider mode succeeds
  echo new | "$UMWELT" write $W f
  is "$(cat f)" new
}

test_C70_write_creates_replaces_and_narrows() {
  local v
  echo one | "$UMWELT" write $W f
  fails_with 1 "$UMWELT" write $W --create f <<<two
  grep -q FS_EXISTS "$T/stderr"
  v=$("$UMWELT" stat --json f | jq -r .version)
  echo two | "$UMWELT" write $W --if-version "$v" --json f >out
  is "$(cat f)" two
  is "$(json out .version)" "$("$UMWELT" stat --json f | jq -r .version)"
  fails_with 1 "$UMWELT" write $W --if-version "$v" f <<<three
  grep -q FS_STALE_VERSION "$T/stderr"
  is "$(cat f)" two
  fails_with 1 "$UMWELT" write $W a/b/c <<<x
  echo x | "$UMWELT" write $W -p a/b/c
  is "$(cat a/b/c)" x
  "$UMWELT" write $W empty </dev/null
  [ -e empty ] && [ ! -s empty ]
}

test_C61_a_closed_stdin_writes_nothing() {
  echo old >f
  fails_with 1 "$UMWELT" write $W f <&-
  is "$(cat f)" old
}

test_C70_write_takes_content_of_any_size() {
  head -c 20000000 /dev/urandom >big
  "$UMWELT" write $W copy <big
  cmp big copy
}

test_C70_edit_replaces_once_all_or_by_a_list() {
  printf 'a b a\r\n' >f
  fails_with 1 "$UMWELT" edit $W f --old a --new x; grep -q FS_AMBIGUOUS_EDIT "$T/stderr"
  fails_with 1 "$UMWELT" edit $W f --old zz --new x; grep -q FS_EDIT_NOT_FOUND "$T/stderr"
  fails_with 120 "$UMWELT" edit $W f --old '' --new x
  is "$("$UMWELT" edit $W f --old a --new '$&' --all --json | jq .replacements)" 2
  is "$(cat f)" $'$& b $&\r'
  echo '[{"old":"b","new":"c"},{"old":"c","new":"d"}]' >list
  "$UMWELT" edit $W f --edits list
  is "$(cat f)" $'$& d $&\r'
  echo '[{"old":"d","new":"e"},{"old":"nope","new":"x"}]' | fails_with 1 "$UMWELT" edit $W f --edits -
  is "$(cat f)" $'$& d $&\r'
}

test_F12_edits_reach_bytes_that_are_no_text() {
  printf 'caf\351 \\x41\n' >f
  echo '[{"old":"caf\\xe9","new":"caf\\xe8","escaped":["old","new"]},{"old":"\\x41","new":"\\x42"}]' >list
  "$UMWELT" edit $W f --edits list
  is "$(od -An -c f | tr -d ' \n')" 'caf350\x42\n'
}

test_C70_a_bad_list_of_edits_is_a_usage_error() {
  local list
  echo a >f
  while read -r list; do
    echo "$list" >list
    fails_with 120 "$UMWELT" edit $W f --edits list
  done <<'END'

[]
{}
[1]
[{"old":"a"}]
[{"old":"a","new":1}]
[{"old":"a","new":"b","al":true}]
[{"old":"a","new":"b","all":1}]
[{"old":"a","new":"b"}
[{"old":"a","old":"a","new":"b"}]
END
  fails_with 120 "$UMWELT" edit $W f --edits no-such
  is "$(cat f)" a
}

test_C70_ls_stat_rm_mv_mkdir() {
  mkdir -p d/sub; echo x >d/b; ln -s b d/link; ln -s nothing d/dangling; touch d/.hidden
  is "$("$UMWELT" ls d)" ".hidden
b
dangling
link
sub"
  is "$("$UMWELT" ls d --json | jq -r '.entries[] | "\(.name) \(.type) \(.target_type)"')" ".hidden file null
b file null
dangling symlink absent
link symlink file
sub directory null"
  "$UMWELT" ls -l d | grep -q '^-0644 .* b$'
  "$UMWELT" stat d/link | grep -q "^path: *$T/d/b$"
  "$UMWELT" rm $W d/link
  [ -e d/b ] && [ ! -L d/link ]
  fails_with 1 "$UMWELT" rm $W d; grep -q FS_NOT_EMPTY "$T/stderr"
  "$UMWELT" mkdir $W -p m/n/o; "$UMWELT" mkdir $W -p m/n
  fails_with 1 "$UMWELT" mkdir $W m; grep -q FS_EXISTS "$T/stderr"
  "$UMWELT" mv $W d/b m/c
  is "$(cat m/c)" x
  echo y >y
  fails_with 1 "$UMWELT" mv $W -n y m/c; grep -q FS_EXISTS "$T/stderr"
  "$UMWELT" rm $W -r d m
  [ ! -e d ]; [ ! -e m ]
}

has_name() {
  local names name
  mapfile -d '' -t names < <("$UMWELT" ls -0)
  for name in "${names[@]}"; do [ "$name" = "$1" ] && return 0; done
  say "not listed: $1"; return 1
}

test_F2_names_of_any_bytes_survive_every_operation() {
  local name
  for name in $'a\nb' $'\xff\xfe' '-x' '--json' ' ' "'" '"' $'\x01\x7f' '\x41'; do
    echo "$name" | "$UMWELT" write $W -- "$name"
    is "$("$UMWELT" read -- "$name")" "$(echo "$name")"
    "$UMWELT" stat --json -- "$name" >/dev/null
    has_name "$name"
    "$UMWELT" mv $W -- "$name" "${name}2"
    "$UMWELT" rm $W -- "${name}2"
  done
  touch $'\xffz'
  is "$("$UMWELT" ls --json | jq -rc '.entries[] | select(.escaped) | [.name, .escaped]')" '["\\xffz",["name"]]'
}

test_C70_a_directory_of_many_pages_is_listed_whole() {
  mkdir d
  (cd d && seq -f 'file%05g' 3456 | xargs touch)
  "$UMWELT" ls d >out
  is "$(wc -l <out)" 3456
  LC_ALL=C sort -c out
  is "$("$UMWELT" ls d --json | jq '.entries | length')" 3456
}

test_C70_relative_paths_start_at_our_directory_within_the_workspace_else_at_it() {
  mkdir -p ws/sub other; echo top >ws/f; echo deep >ws/sub/f; echo out >other/f
  is "$(cd ws/sub && "$UMWELT" read --workspace .. f)" deep
  is "$(cd other && "$UMWELT" read --workspace ../ws f)" top
  mkdir ws-evil; echo evil >ws-evil/f
  is "$(cd ws-evil && "$UMWELT" read --workspace ../ws f)" top
}

test_C70_status_fd_gets_the_result_of_a_file_command() {
  echo x >f
  is "$("$UMWELT" stat --status-fd 5 f 5>out | grep -c '^version:')" 1
  is "$(json out .bytes)" 2
  fails_with 1 "$UMWELT" read --status-fd 5 nothing 5>out
  is "$(json out .error.code)" FS_NOT_FOUND
}

run_tests
