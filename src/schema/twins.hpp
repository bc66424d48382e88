// Equal elements of one array, for `uniqueItems`. Internal to schema/.
#pragma once
#include <cstdint>
#include <optional>

#include "schema/budget.hpp"
#include "schema/tape.hpp"

namespace parley::schema {

struct Twins {
  std::uint32_t first, second;  // by ordinal
};

// Nothing also where the budget ran out meanwhile.
std::optional<Twins> find_twins(const Tape& tape, std::uint32_t array, Budget& budget);

}  // namespace parley::schema
