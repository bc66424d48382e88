// SHA-256 of many texts, side by side in the lanes of vector registers where the processor gains by it.
#pragma once
#include <span>
#include <string_view>

#include "base/hash.hpp"

namespace parley::base {

struct ToHash {
  std::string_view text;
  Digest* digest = nullptr;  // written
};

// The same as sha256 of each. Sixteen texts of about the same length take less than half as long with AVX-512.
void sha256_each(std::span<const ToHash> texts);

}  // namespace parley::base
