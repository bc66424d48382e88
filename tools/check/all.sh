#!/usr/bin/env bash
# What `./dev check` looks at: format, layers, headers, rows without proof, generated pages, links; clang-tidy on what changed.
set -uo pipefail
cd "$(dirname "$0")/../.."
failed=0
step() {
  echo "== $1"
  shift
  "$@" || failed=1
}

# Prints what was found, and fails where that is anything.
none() {
  local found
  found=$(cat)
  [ -z "$found" ] || { echo "$found" && return 1; }
}

format() {
  git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror 2>&1 | { grep error || true; } | sed 's/:.*//' |
    sort -u | sed 's/$/: run clang-format-19 -i on it/' | none
}

tidy() {
  local base changed
  base=$(tools/check/base.sh)
  changed=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'sdk/*.cpp' | { grep -v _test || true; })
  [ -z "$changed" ] && return 0
  # It looks at files by themselves, as nothing else is compiled (docs/decisions/0016); of what is in a precompiled
  # header it would say nothing.
  cmake --preset dev -B build/tidy -DPARLEY_UNIT=1 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null &&
    cmake --build build/tidy --target parley_catalog parley_event_proto >/dev/null || return 1
  echo "$changed" | xargs -P "${PARLEY_JOBS:-$(nproc)}" -n 4 clang-tidy-19 -p build/tidy --quiet --warnings-as-errors='bugprone-*' 2>/dev/null |
    { grep -E 'warning|error' || true; } | sort -u | none
}

step "format" format
step "layers" python3 tools/check/layers.py
step "headers and changed files" tools/check/headers.sh
step "requirement rows" python3 tools/trace.py --check
step "generated pages" python3 tools/gen/reference.py --check .
step "links of documents" python3 tools/check/links.py
[ "${1:-}" = --tidy ] && step "clang-tidy on what changed" tidy
[ $failed = 0 ] && echo "all in order"
exit $failed
