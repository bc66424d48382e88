// Whether two globs (glob.hpp) can match one path: for scopes that are given to two at once (COL-10).
#pragma once
#include <cstdint>
#include <string_view>

namespace parley::base {

// Adds what it took to `steps`: the product of both lengths at most.
bool globs_overlap(std::string_view one, std::string_view other, std::uint64_t& steps);

}  // namespace parley::base
