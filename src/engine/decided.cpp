#include "engine/decided.hpp"

namespace parley::engine {

Decided::Decided(const State& state) : state_(state) {}
Decided::~Decided() = default;

event::Event& Decided::add(WorkspaceNumber workspace) {
  const std::uint64_t offset = workspace == WorkspaceNumber{} ? 0 : next_offset(workspace);
  if (used_ == facts_.size()) facts_.emplace_back();
  event::Event& event = facts_[used_++].event;
  if (workspace != WorkspaceNumber{}) {
    event.set_workspace(workspace.value);
    event.set_offset(offset);
  }
  return event;
}

event::MessageAccepted& Decided::message_accepted(event::Event& event) {
  if (!spare_.empty()) {
    event.set_allocated_message_accepted(spare_.back().release());
    spare_.pop_back();
  }
  return *event.mutable_message_accepted();
}

std::unique_ptr<event::TaskMoved> Decided::task_moved() {
  return spare_move_ ? std::move(spare_move_) : std::make_unique<event::TaskMoved>();
}

std::uint64_t Decided::next_offset(WorkspaceNumber workspace) const {
  for (std::size_t i = used_; i-- > 0;)
    if (facts_[i].event.workspace() == workspace.value) return facts_[i].event.offset() + 1;
  return workspace.value <= state_.workspaces.size() ? state_.workspace(workspace).head.value + 1 : 1;
}

Load& Decided::notices_to(WorkspaceNumber workspace, AgentNumber agent) {
  return notices_[{workspace, agent}];
}

bool Decided::leaves(WorkspaceNumber workspace, AgentNumber agent, Offset message, std::uint64_t bytes) {
  return leaving_[{workspace, agent}].emplace(message, bytes).second;
}

Load Decided::leaving(WorkspaceNumber workspace, AgentNumber agent) const {
  Load load;
  const auto at = leaving_.find({workspace, agent});
  if (at == leaving_.end()) return load;
  for (const auto& [message, bytes] : at->second) load.bytes += bytes;
  load.messages = at->second.size();
  return load;
}

void Decided::clear() {
  for (Fact& fact : facts()) {
    if (fact.event.has_message_accepted()) {
      spare_.emplace_back(fact.event.release_message_accepted());
      event::MessageAccepted& message = *spare_.back();
      if (message.has_task_moved()) {
        spare_move_.reset(message.release_task_moved());
        spare_move_->Clear();
      }
      message.Clear();  // keeps the room of its texts
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

}  // namespace parley::engine
