// The first half of a SHA-256: as much as tells apart what is kept in great numbers.
#pragma once
#include <algorithm>

#include "base/hash.hpp"

namespace parley::base {

using HalfDigest = std::array<std::uint8_t, 16>;

inline HalfDigest first_half(const Digest& digest) {
  HalfDigest half;
  std::copy_n(digest.begin(), half.size(), half.begin());
  return half;
}

}  // namespace parley::base
