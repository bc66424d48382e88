#!/usr/bin/env bash
# ./dev fuzz [TARGET [SECONDS]]: builds the fuzzers with clang and runs one for a while. Targets: see fuzz/.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-json_fuzz}
seconds=${2:-60}
cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Debug -DPARLEY_FUZZ=ON -DPARLEY_TESTS=OFF \
  -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined" >/dev/null
cmake --build build/fuzz -j "${PARLEY_JOBS:-$(nproc)}" --target "$target"
mkdir -p "build/fuzz/corpus/$target"
exec "build/fuzz/fuzz/$target" -max_total_time="$seconds" -print_final_stats=1 "build/fuzz/corpus/$target"
