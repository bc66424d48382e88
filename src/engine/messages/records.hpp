// Each agent's newest record of each task (PIP-03): where its message lies. What a record is, the profile says; kept
// past the message's own time in the state, up to a bound of the workspace's (D11): then the oldest goes. Value type.
#pragma once
#include <absl/container/btree_map.h>

#include <string>
#include <utility>

#include "base/ids.hpp"

namespace parley::engine {

class Records {
 public:
  using Key = std::pair<std::string, base::AgentNumber>;  // task, agent
  struct Kept {
    base::Offset offset;
    base::Position position;

    template <class Archive>
    void archive(Archive& a) {
      a(offset, position);
    }
  };

  void keep(const std::string& task, base::AgentNumber agent, const Kept& kept, std::size_t most);

  const absl::btree_map<Key, Kept>& by_task() const { return by_task_; }

  template <class Archive>
  void archive(Archive& a) {
    a(by_task_);
    if constexpr (Archive::loads)
      for (const auto& [key, kept] : by_task_) by_age_.emplace(kept.offset, key);
  }

 private:
  absl::btree_map<Key, Kept> by_task_;
  absl::btree_map<base::Offset, Key> by_age_;
};

}  // namespace parley::engine
