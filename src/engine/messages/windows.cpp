#include "engine/messages/windows.hpp"

#include "engine/appliers.hpp"
#include "engine/mailboxes/transitions.hpp"

namespace parley::engine {

std::optional<Instant> Windows::of(WorkspaceNumber workspace) const {
  const auto at = of_.find(workspace);
  return at == of_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<WorkspaceNumber> Windows::due(Instant now) const {
  if (in_order_.empty() || in_order_.begin()->first > now) return std::nullopt;
  return in_order_.begin()->second;
}

void Windows::set(WorkspaceNumber workspace, std::optional<Instant> forgets_at) {
  const auto before = of(workspace);
  if (before == forgets_at) return;
  if (before) in_order_.erase({*before, workspace});
  if (!forgets_at) {
    of_.erase(workspace);
    return;
  }
  of_[workspace] = *forgets_at;
  in_order_.insert({*forgets_at, workspace});
}

std::optional<Instant> forgets_at(const State& state, WorkspaceNumber number) {
  const Workspace& workspace = state.workspace(number);
  if (workspace.window_size == 0) return std::nullopt;
  Instant oldest;
  workspace.messages.visit_after(workspace.forgotten_through, [&](Offset, const Message& message) {
    oldest = message.accepted_at;
    return false;
  });
  if (workspace.window_size > workspace.settings.remembered_ids) return oldest;
  const base::Duration kept = workspace.settings.remembered_for;
  return oldest < Instant::max() - kept ? oldest + kept + base::Duration(1) : Instant::max();
}

void watch_window(State& state, WorkspaceNumber number) {
  state.windows.set(number, forgets_at(state, number));
}

void count_in_window(State& state, WorkspaceNumber number) {
  Workspace& workspace = state.workspace(number);
  const std::uint64_t size = ++workspace.window_size;
  if (size == 1 || size == workspace.settings.remembered_ids + 1) watch_window(state, number);
}

std::size_t Engine::decide_forgotten(std::size_t most, const Context& context, Decided& decided) const {
  const auto number = most > 0 ? state_.windows.due(context.now) : std::nullopt;
  if (!number) return 0;
  const Workspace& workspace = state_.workspace(*number);
  const Settings& settings = workspace.settings;
  const Instant oldest_kept = context.now - settings.remembered_for;
  const std::uint64_t over =
      workspace.window_size > settings.remembered_ids ? workspace.window_size - settings.remembered_ids : 0;
  Offset through;
  std::size_t count = 0;
  workspace.messages.visit_after(workspace.forgotten_through, [&](Offset offset, const Message& message) {
    if (count == most || (count >= over && message.accepted_at >= oldest_kept)) return false;
    ++count;
    through = offset;
    return true;
  });
  PARLEY_ASSERT(count > 0);
  decided.add(*number).mutable_messages_forgotten()->set_through(through.value);
  return count;
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessagesForgotten& event) {
  const Offset through(event.through());
  std::vector<Offset> settled;  // the others go when they are (transitions.cpp)
  workspace.messages.visit_after(workspace.forgotten_through, [&](Offset offset, const Message& message) {
    if (offset > through) return false;
    --workspace.window_size;
    if (message.settled()) settled.push_back(offset);
    return true;
  });
  for (const Offset offset : settled) forget(workspace, offset, workspace.messages.at(offset));
  workspace.forgotten_through = through;
  watch_window(state, number);
}

}  // namespace parley::engine
