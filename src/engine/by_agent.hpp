// What is whose: messages by the agents that they belong to, and how many of something each agent has. Who has nothing
// takes no room. Value types; derived from the state that holds them, so no part of a snapshot.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstddef>

#include "base/ids.hpp"

namespace parley::engine {

class OffsetsByAgent {
 public:
  using Offsets = absl::btree_set<base::Offset>;

  const absl::btree_map<base::AgentNumber, Offsets>& all() const { return all_; }
  const Offsets& of(base::AgentNumber agent) const;
  void add(base::AgentNumber agent, base::Offset offset);
  void remove(base::AgentNumber agent, base::Offset offset);  // where it is the agent's

 private:
  absl::btree_map<base::AgentNumber, Offsets> all_;
};

class CountsByAgent {
 public:
  std::size_t of(base::AgentNumber agent) const;
  void add(base::AgentNumber agent, std::size_t count = 1);
  void remove(base::AgentNumber agent, std::size_t count = 1);  // no more than it has; of who has none nothing

 private:
  absl::btree_map<base::AgentNumber, std::size_t> all_;
};

}  // namespace parley::engine
