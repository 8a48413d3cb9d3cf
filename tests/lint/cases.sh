#!/usr/bin/env bash
# Every input on which other tools failed is a test here, found by its id
# (files/F01, shell/S04, peer/E13) in a test's name or in the comment above it.
. "$(dirname "$0")/../lib.sh"

FILES="F01 F02 F03 F05 F06 F07 F08 F10 F11 F12 F13 F14 F15 F16 F18 F20 F21 F23 F24 F25 F26 F29 F30 F31"
SHELL_ROWS="S01 S02 S04 S05 S07 S08 S09 S10 S11 S14 S16 S17"
PEER="A1 A2 A3 A4 A5 A6 A7 A9 A10 A11 A12 A13 A14 A15 A17 A18 A19 A20 A22
B1 B2 B3 B4 B5 B6 B7 B8 B11 B12 B14 B15 B16 B17 B18 B20 B21 B22
E1 E2 E3 E5 E6 E7 E8 E10 E11 E13 E14 E15 E16 E17 E18 E19 E20
F1 F2 F3 F4 F6 F7 F8 F9 F12 F13 F14 F15 F16 F17 F18"

test_every_case_of_files_is_named_by_a_test() { named files $FILES; }
test_every_case_of_shell_is_named_by_a_test() { named shell $SHELL_ROWS; }
test_every_case_of_the_peer_is_named_by_a_test() { named peer $PEER; }

named() {
  local page=$1 id missing=; shift
  for id; do
    grep -rqE "$page[/_]$id([^0-9]|\$)" "$TOP"/tests --include='*.c' --include='*.h' --include='*.sh' --include='*.py' --exclude=cases.sh || missing="$missing $page/$id"
  done
  is "" "$missing"
}

run_tests "$@"
