// What a decision comes to: events in order, each with the body that rides beside it. Reused from call to call.
#pragma once
#include <string>
#include <vector>

#include "engine/state.hpp"
#include "event/events.pb.h"

namespace parley::engine {

struct Fact {
  event::Event event;
  std::string body;              // made by the engine: a notice
  bool has_native_body = false;  // the command's own native bytes
};

class Decided {
 public:
  explicit Decided(const State& state) : state_(state) {}

  event::Event& add(WorkspaceNumber workspace) {
    Fact& fact = facts_.emplace_back();
    if (workspace != WorkspaceNumber{}) {
      fact.event.set_workspace(workspace.value);
      fact.event.set_offset(next_offset(workspace));
    }
    return fact.event;
  }
  Fact& last() { return facts_.back(); }
  std::vector<Fact>& facts() { return facts_; }
  bool empty() const { return facts_.empty(); }
  void clear() { facts_.clear(); }

 private:
  std::uint64_t next_offset(WorkspaceNumber workspace) const {
    // One decision concerns one workspace, but for timers, which come in one decision a workspace.
    std::uint64_t offset = workspace.value <= state_.workspaces.size() ? state_.workspace(workspace).head.value : 0;
    for (const Fact& fact : facts_)
      if (fact.event.workspace() == workspace.value) ++offset;
    return offset;
  }

  const State& state_;
  std::vector<Fact> facts_;
};

}  // namespace parley::engine
