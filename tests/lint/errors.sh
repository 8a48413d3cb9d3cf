#!/usr/bin/env bash
# C-60: the one list of codes has unique names and numbers, each with a meaning.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# NAME NUMBER MEANING, one a line
codes() { sed -nE 's/^[[:space:]]*X\(([A-Z_0-9]+), ([0-9]+), "([^"]+)"\).*/\1 \2 \3/p' "$TOP/core/include/umwelt/error.h"; }

test_the_list_is_read_whole() {
  is "$(codes | wc -l)" "$(grep -cE '^[[:space:]]*X\([A-Z_0-9]+, [0-9]+' "$TOP/core/include/umwelt/error.h")"
  [ "$(codes | wc -l)" -gt 50 ]
}
test_names_are_unique() { is "$(codes | cut -d' ' -f1 | sort | uniq -d)" ""; }
test_numbers_are_unique() { is "$(codes | cut -d' ' -f2 | sort | uniq -d)" ""; }
test_numbers_ascend_and_fit() { codes | awk '$2 <= last || $2 > 255 { print; bad = 1 } { last = $2 } END { exit bad }' >&2; }
test_meanings_are_unique() { is "$(codes | cut -d' ' -f3- | sort | uniq -d)" ""; }

test_every_code_can_be_explained() {
  local code bad=0
  [ -x "$UMWELT" ] || skip "the program is not built"
  for code in $(codes | cut -d' ' -f1); do
    "$UMWELT" explain "$code" >"$T/page" 2>&1 && grep -q "$code" "$T/page" || { say "explain $code: $(head -n 1 "$T/page")"; bad=1; }
  done
  return $bad
}

# a code that nothing can return is a promise that nobody keeps: listed, not refused
test_codes_that_nothing_returns_are_told() {
  local code unused=
  for code in $(codes | cut -d' ' -f1); do
    grep -rqwF "UW_E_$code" "$TOP"/core/*.c "$TOP"/plugins "$TOP"/common "$TOP"/cmd 2>/dev/null || unused="$unused $code"
  done
  say "returned by nothing yet:$unused"
}

run_tests
