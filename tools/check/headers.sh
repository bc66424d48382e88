#!/usr/bin/env bash
# Every header compiles by itself, and every file that changed: what it needs it includes, though a build compiles the
# files of a folder together. A name that is another file's means something else there, and nobody would see it.
set -euo pipefail
cd "$(dirname "$0")/../.."
# What is made from spec/, as it is now.
cmake --preset dev >/dev/null && cmake --build build/dev --target parley_catalog parley_event_proto >/dev/null
check() {
  local folders=(-Isrc -I. -Itest/models -isystem build/dev/generated) words
  words=$(g++ -std=c++23 -fsyntax-only -x c++ "${folders[@]}" "-DPARLEY_VERSION=\"\"" -include "$1" /dev/null 2>&1) && return
  echo "$1 does not compile by itself:" && grep -m2 error <<<"$words"
  return 1
}
export -f check
base=$(tools/check/base.sh)
{
  git ls-files '*.hpp'
  git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'sdk/*.cpp' 'sim/*.cpp'
} | xargs -P "${PARLEY_JOBS:-$(nproc)}" -I{} bash -c 'check {}'
echo "headers, and what changed: each compiles by itself"
