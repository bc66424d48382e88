#!/usr/bin/env bash
# Every header compiles by itself: what it needs it includes.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d build/dev/generated/event ] || { echo "build first: ./dev build"; exit 1; }
check() {
  if ! g++ -std=c++23 -fsyntax-only -x c++ -Isrc -I. -isystem build/dev/generated -include "$1" /dev/null 2>/tmp/header.$$; then
    echo "$1 does not compile by itself:" && grep -m2 error /tmp/header.$$
    return 1
  fi
}
export -f check
git ls-files 'src/*.hpp' 'sdk/cpp/*.hpp' | xargs -P "$(nproc)" -I{} bash -c 'check {}'
rm -f /tmp/header.*
echo "headers: each compiles by itself"
