// The tables whose models there are: each in a file of its own, which registers itself.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "explorer.hpp"

namespace parley::models {

// A fault that is planted between decide and apply, or in what the driver asks: never in the product. The invariant is
// the one that finds it.
struct Fault {
  std::string_view name;
  int invariant = 0;
};

// A model's faults, each with what the model calls it; the first of these is none.
template <class Planted>
Planted planted_of(const std::vector<std::pair<Fault, Planted>>& faults, std::string_view name) {
  for (const auto& [fault, planted] : faults)
    if (fault.name == name) return planted;
  return Planted{};
}
template <class Planted>
std::vector<Fault> names_of(const std::vector<std::pair<Fault, Planted>>& faults) {
  std::vector<Fault> names;
  for (const auto& [fault, planted] : faults) names.push_back(fault);
  return names;
}

struct Table {
  std::string_view name;
  std::vector<Fault> faults;
  std::optional<Broken> (*explore)(std::string_view planted);  // empty: no fault
};

inline std::vector<Table>& tables() {
  static std::vector<Table> all;
  return all;
}

struct Registered {
  explicit Registered(Table table) { tables().push_back(std::move(table)); }
};

}  // namespace parley::models
