// What agents and tasks may use, and have used (HND-12; 002, ResourceAllocation). Value types, part of the engine's
// state.
//
// Of an agent: `consumed` is what it reported; `outstanding` what its open tasks may still use; both together are what
// is allocated to it, and must stay within `limit`. Of a task: `allocated` at most, over all its assignments.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "base/time.hpp"
#include "engine/resources/amount.hpp"

namespace parley::engine {

enum class Resource : std::uint8_t { tokens, cpu, memory, budget };  // numbers are journaled
inline constexpr std::array<std::string_view, 4> resource_names{"tokens", "cpu", "memory", "budget"};
inline constexpr std::array all_resources{Resource::tokens, Resource::cpu, Resource::memory, Resource::budget};

// Those that are used up, and that tasks are given; of the others an agent tells how much it uses now.
inline constexpr std::array spendable{Resource::tokens, Resource::budget};
constexpr bool is_spent(Resource resource) {
  return resource == Resource::tokens || resource == Resource::budget;
}

struct Allocation {
  std::optional<Amount> limit;  // none: the policy's, or none
  base::Instant expires_at;     // of the limit: from then on there is nothing left of it; 0: never
  Amount consumed;
  Amount reported;  // its own count, at its newest report
  Sum outstanding;

  Amount allocated() const { return plus(consumed, outstanding.amount()); }
  friend bool operator==(const Allocation&, const Allocation&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(limit, expires_at, consumed, reported, outstanding);
  }
};

struct Resources {
  std::array<Allocation, resource_names.size()> allocations;  // by Resource
  std::uint32_t overdrawn = 0;  // open tasks of its that have used more than they were given

  Allocation& of(Resource resource) { return allocations[static_cast<std::size_t>(resource)]; }
  const Allocation& of(Resource resource) const { return allocations[static_cast<std::size_t>(resource)]; }
  template <class Archive>
  void archive(Archive& a) {
    a(allocations, overdrawn);
  }
};

// A task's part of one resource.
struct Share {
  std::optional<Amount> allocated;  // none: it was given none
  Amount consumed;

  Amount left() const { return allocated ? less(*allocated, consumed) : Amount{}; }
  bool overdrawn() const { return allocated && consumed > *allocated; }
  friend bool operator==(const Share&, const Share&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(allocated, consumed);
  }
};

struct Shares {
  Share tokens, budget;

  Share& of(Resource resource) { return resource == Resource::tokens ? tokens : budget; }
  const Share& of(Resource resource) const { return resource == Resource::tokens ? tokens : budget; }
  template <class Archive>
  void archive(Archive& a) {
    a(tokens, budget);
  }
};

// Of the whole workspace: its agents' budgets (002, budget_limits.total), also of those that were removed.
struct BudgetTotal {
  Sum consumed, outstanding;

  friend bool operator==(const BudgetTotal&, const BudgetTotal&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(consumed, outstanding);
  }
};

}  // namespace parley::engine
