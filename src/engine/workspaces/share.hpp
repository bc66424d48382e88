// Of what a workspace may have so many of, an agent may have a tenth (D11).
#pragma once
#include <algorithm>
#include <cstddef>

namespace parley::engine {

constexpr std::size_t share_of_one(std::size_t most) {
  return std::max<std::size_t>(1, most / 10);
}

}  // namespace parley::engine
