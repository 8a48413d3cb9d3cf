#!/usr/bin/env bash
# What a reader should never have to argue about.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

files() { (cd "$TOP" && find core common plugins launcher helper cmd sdk tests bench fuzz -name '*.[ch]' 2>/dev/null | sort); }

# K&R: a function's braces stand in column 0
test_no_function_is_longer_than_80_lines() {
  (cd "$TOP" && files | xargs awk '
    FNR == 1 { open = 0 }
    /^\{/ { open = FNR; name = last }
    /^\}/ { if (open && FNR - open - 1 > 80) { printf "%s:%d: %d lines: %s\n", FILENAME, open, FNR - open - 1, name; bad = 1 } open = 0 }
    { if ($0 !~ /^[{}]/) last = $0 }
    END { exit bad }') >"$T/long" || { say "$(cat "$T/long")"; return 1; }
}

test_nothing_is_left_to_do() {
  ! (cd "$TOP" && files | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b') >"$T/found" || { say "$(head "$T/found")"; return 1; }
}

test_spaces_never_stand_before_tabs() {
  ! (cd "$TOP" && files | xargs grep -nP '^ +\t') >"$T/found" || { say "$(head "$T/found")"; return 1; }
}

test_no_line_ends_in_white_space() {
  ! (cd "$TOP" && files | xargs grep -nP '[ \t]+$') >"$T/found" || { say "$(head "$T/found")"; return 1; }
}

# 100 columns are the rule; this finds what is far off. A text of a message is better not cut.
test_lines_are_not_much_longer_than_100_columns() {
  (cd "$TOP" && files | xargs awk '
    { line = $0; gsub(/\t/, "    ", line); if (length(line) > 132 && line !~ /"/) { printf "%s:%d: %d columns\n", FILENAME, FNR, length(line); bad = 1 } }
    END { exit bad }') >"$T/found" || { say "$(head "$T/found")"; return 1; }
}

test_goto_leads_forward() {
  (cd "$TOP" && files | xargs awk '
    FNR == 1 || /^\}/ { delete label }
    match($0, /^[\t ]*[a-z_][a-z0-9_]*:$/) { name = $1; sub(/:$/, "", name); label[name] = 1 }
    match($0, /goto [a-z_][a-z0-9_]*;/) { name = substr($0, RSTART + 5, RLENGTH - 6); if (name in label) { printf "%s:%d: goto %s leads back\n", FILENAME, FNR, name; bad = 1 } }
    END { exit bad }') >"$T/found" || { say "$(cat "$T/found")"; return 1; }
}

test_every_header_has_a_guard_and_a_purpose() {
  local f bad=0
  for f in $(cd "$TOP" && files | grep '\.h$'); do
    head -n 1 "$TOP/$f" | grep -q '^/\*' || { say "$f does not begin with its purpose"; bad=1; }
    grep -qE '^#ifndef [A-Z]+_[A-Z0-9_]+_H$' "$TOP/$f" || { say "$f has no include guard"; bad=1; }
  done
  return $bad
}

# the project speaks of itself alone
test_no_file_names_the_machine_it_was_written_on() {
  ! (cd "$TOP" && git grep -nE '/wor[k]/|/home/[a-z]+/\.(claude|cache)' -- . ':!tests/lint/style.sh') >"$T/found" 2>/dev/null || { say "$(head "$T/found")"; return 1; }
}

run_tests
