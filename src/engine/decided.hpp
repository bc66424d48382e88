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
  explicit Decided(const State& state);
  ~Decided();

  event::Event& add(WorkspaceNumber workspace);
  // As event.mutable_message_accepted(), out of an earlier decision's memory.
  event::MessageAccepted& message_accepted(event::Event& event);
  // Likewise of a task's move, which becomes part of such an event later, or goes.
  std::unique_ptr<event::TaskMoved> task_moved();

  // What the next event of the workspace gets.
  std::uint64_t next_offset(WorkspaceNumber workspace) const;

  // What the server says in this very decision, which no mailbox counts yet.
  Load& notices_to(WorkspaceNumber workspace, AgentNumber agent);

  // What its mailbox is rid of with an event of this very decision. Whether no earlier event of it has ended the
  // message.
  bool leaves(WorkspaceNumber workspace, AgentNumber agent, Offset message, std::uint64_t bytes);
  Load leaving(WorkspaceNumber workspace, AgentNumber agent) const;

  Fact& last() { return facts_[used_ - 1]; }
  std::span<Fact> facts() { return {facts_.data(), used_}; }
  bool empty() const { return used_ == 0; }
  void clear();

 private:
  static constexpr std::size_t kept = 64;  // facts whose memory waits for the next decision

  const State& state_;
  std::vector<Fact> facts_;  // the first `used_` are the decision's
  std::size_t used_ = 0;
  absl::btree_map<std::pair<WorkspaceNumber, AgentNumber>, Load> notices_;
  absl::btree_map<std::pair<WorkspaceNumber, AgentNumber>, absl::btree_map<Offset, std::uint64_t>> leaving_;
  std::vector<std::unique_ptr<event::MessageAccepted>> spare_;
  std::unique_ptr<event::TaskMoved> spare_move_;
};

}  // namespace parley::engine
