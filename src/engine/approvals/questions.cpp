#include "engine/approvals/questions.hpp"

#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

bool is_question(const Workspace& workspace, Offset offset, const Approval& approval, AgentNumber asker) {
  return approval.waits() && approval.asker == asker && asks_by_itself(workspace, offset, approval);
}

// The open task of its asker's; 0: none.
Offset asked_about(const Workspace& workspace, const Approval& approval) {
  if (approval.holds || approval.asker == AgentNumber{} || approval.task.empty()) return {};
  const auto known = workspace.tasks.find(approval.task);
  if (!known) return {};
  const Task& task = workspace.tasks.at(*known);
  return task.assignee == approval.asker && !machine::task::is_over(task.state) ? *known : Offset{};
}

bool asks_more(const Workspace& workspace, const Approval& answered) {
  if (workspace.approvals.waiting(answered.asker) == 0) return false;
  for (const auto& [offset, approval] : workspace.approvals.all())
    if (is_question(workspace, offset, approval, answered.asker) && approval.task == answered.task) return true;
  return false;
}

// As its end: whatever it was to take the place of, the task has no other.
bool holds_its_task(const Workspace& workspace, Offset offset, const Approval& approval) {
  const auto known = approval.holds ? workspace.tasks.find(approval.task) : std::nullopt;
  return known && workspace.tasks.at(*known).held == offset;
}

void outlive(State& state, WorkspaceNumber number, Offset offset, Approval& approval, Instant at) {
  if (approval.outlived()) return;
  state.timers.erase({approval.due, TimerKind::approval_times_out, number, {}, offset});
  approval.outlived_at = at;
  state.timers.insert({at, TimerKind::approval_times_out, number, {}, offset});
}

}  // namespace

bool asks_by_itself(const Workspace& workspace, Offset offset, const Approval& approval) {
  return !approval.holds && !workspace.reviews.of_approval(offset);
}

void note_asked(Workspace& workspace, const Approval& approval, Instant at) {
  const Offset offset = asked_about(workspace, approval);
  if (offset == Offset{}) return;
  TaskWatch& watch = workspace.tasks.at(offset).watch;
  if (watch.asked_since == Instant{}) watch.asked_since = at;
}

void note_answered(State& state, Workspace& workspace, WorkspaceNumber number, const Approval& approval, Instant at) {
  const Offset offset = asked_about(workspace, approval);
  if (offset == Offset{} || asks_more(workspace, approval)) return;
  Task& task = workspace.tasks.at(offset);
  if (task.watch.asked_since == Instant{}) return;  // it was asked before the task was its asker's
  task.watch = answered(task, at);
  if (!awaits_another(task.state)) look_at(state, number, offset, task, at);
}

void end_questions(State& state, Workspace& workspace, WorkspaceNumber number, const Task& task, Instant at) {
  const bool aborted = task.state == TaskState::aborted;
  if (aborted ? workspace.approvals.waiting() == 0 : workspace.approvals.waiting(task.assignee) == 0) return;
  for (const auto& [offset, approval] : workspace.approvals.all()) {
    if (approval.asker == AgentNumber{} || approval.task != task.id.view()) continue;
    if (is_question(workspace, offset, approval, task.assignee) || (aborted && approval.waits()))
      outlive(state, number, offset, workspace.approvals.at(offset), at);
  }
}

void end_corrections(State& state, Workspace& workspace, WorkspaceNumber number, Offset message, Instant at) {
  for (const Offset offset : workspace.approvals.to_supersede(message)) {
    Approval& approval = workspace.approvals.at(offset);
    if (!holds_its_task(workspace, offset, approval)) outlive(state, number, offset, approval, at);
  }
}

}  // namespace parley::engine
