#!/usr/bin/env bash
# The README's tour prints what the README says.
. "$(dirname "$0")/../lib.sh"

test_the_tour_prints_what_the_readme_says() {
  need jq
  "$TOP/docs/tour" --check
}

test_the_tour_works_for_an_ordinary_user() {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need jq
  as_user env -i PATH="$PATH" BUILD="$BUILD" "$TOP/docs/tour" --check
}

run_tests
