#!/usr/bin/env bash
# K-5: each public header compiles alone, as C11 and as C++17, with all warnings.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# each EXT COMPILER...: compiles a file that includes one header and nothing else
each() {
  local ext=$1 header bad=0; shift
  for header in "$TOP"/core/include/umwelt/*.h; do
    echo "#include <umwelt/${header##*/}>" >"$T/alone.$ext"
    "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$TOP/core/include" "$T/alone.$ext" || { say "$header"; bad=1; }
  done
  return $bad
}

test_headers_stand_alone_as_strict_c11() { each c gcc -std=c11; }
test_headers_stand_alone_as_c11_with_posix() { each c gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wshadow -Wstrict-prototypes; }
test_headers_stand_alone_as_cxx17() { need g++; each cc g++ -std=c++17; }
test_headers_stand_alone_with_clang() {
  command -v clang >/dev/null || skip "needs clang"
  each c clang -std=c11
}

run_tests
