// The journal in memory: for tests, mocks and runs that may forget. Durable as soon as appended, gone with the object.
// The same history has the same chain as in files, given the same root.
#pragma once
#include <memory>

#include "journal/journal.hpp"

namespace parley::journal::memory {

struct Options {
  base::Digest root{};  // chain hash before the first block
  std::uint64_t term = 1;
  std::uint64_t capacity_bytes = UINT64_MAX;  // chained parts and bodies together
  std::uint64_t reserve_bytes = 0;
  std::uint64_t block_bytes_max = 64 << 20;
};

std::unique_ptr<Journal> open(const Options& options = {});

}  // namespace parley::journal::memory
