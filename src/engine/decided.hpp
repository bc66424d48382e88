// What a decision comes to: events in order, each with the body that rides beside it. Reused from call to call, and
// with it the memory of the commonest event, so that an ordinary message costs no allocation here.
#pragma once
#include <absl/container/btree_map.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/state.hpp"
#include "event/events.pb.h"

namespace parley::engine {

struct Fact {
  event::Event event;
  std::string body;              // made by the engine: what the server says
  bool has_native_body = false;  // the command's own native bytes
};

class Decided {
 public:
  explicit Decided(const State& state) : state_(state) {}

  event::Event& add(WorkspaceNumber workspace) {
    const std::uint64_t offset = workspace == WorkspaceNumber{} ? 0 : next_offset(workspace);
    if (used_ == facts_.size()) facts_.emplace_back();
    event::Event& event = facts_[used_++].event;
    if (workspace != WorkspaceNumber{}) {
      event.set_workspace(workspace.value);
      event.set_offset(offset);
    }
    return event;
  }
  // As event.mutable_message_accepted(), out of an earlier decision's memory.
  event::MessageAccepted& message_accepted(event::Event& event) {
    if (!spare_.empty()) {
      event.set_allocated_message_accepted(spare_.back().release());
      spare_.pop_back();
    }
    return *event.mutable_message_accepted();
  }

  // What the next event of the workspace gets.
  std::uint64_t next_offset(WorkspaceNumber workspace) const {
    for (std::size_t i = used_; i-- > 0;)
      if (facts_[i].event.workspace() == workspace.value) return facts_[i].event.offset() + 1;
    return workspace.value <= state_.workspaces.size() ? state_.workspace(workspace).head.value + 1 : 1;
  }

  // What the server says in this very decision, which no mailbox counts yet.
  Load& notices_to(WorkspaceNumber workspace, AgentNumber agent) { return notices_[{workspace, agent}]; }

  // What its mailbox is rid of with an event of this very decision. Whether no earlier event of it has ended the
  // message.
  bool leaves(WorkspaceNumber workspace, AgentNumber agent, Offset message, std::uint64_t bytes) {
    return leaving_[{workspace, agent}].emplace(message, bytes).second;
  }
  Load leaving(WorkspaceNumber workspace, AgentNumber agent) const {
    Load load;
    const auto at = leaving_.find({workspace, agent});
    if (at == leaving_.end()) return load;
    for (const auto& [message, bytes] : at->second) load.bytes += bytes;
    load.messages = at->second.size();
    return load;
  }

  Fact& last() { return facts_[used_ - 1]; }
  std::span<Fact> facts() { return {facts_.data(), used_}; }
  bool empty() const { return used_ == 0; }
  void clear() {
    for (Fact& fact : facts()) {
      if (fact.event.has_message_accepted()) {
        spare_.emplace_back(fact.event.release_message_accepted());
        spare_.back()->Clear();  // keeps the room of its texts
      }
      fact.event.Clear();
      fact.body.clear();
      fact.has_native_body = false;
    }
    used_ = 0;
    if (facts_.size() > kept) facts_.resize(kept);
    notices_.clear();
    leaving_.clear();
  }

 private:
  static constexpr std::size_t kept = 64;  // facts whose memory waits for the next decision

  const State& state_;
  std::vector<Fact> facts_;  // the first `used_` are the decision's
  std::size_t used_ = 0;
  absl::btree_map<std::pair<WorkspaceNumber, AgentNumber>, Load> notices_;
  absl::btree_map<std::pair<WorkspaceNumber, AgentNumber>, absl::btree_map<Offset, std::uint64_t>> leaving_;
  std::vector<std::unique_ptr<event::MessageAccepted>> spare_;
};

}  // namespace parley::engine
