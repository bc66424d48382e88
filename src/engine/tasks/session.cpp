#include "engine/tasks/session.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/appliers.hpp"
#include "engine/approvals/held.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/moves.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t session_reason_bytes = 1'000;
constexpr std::size_t ends_a_step = 100;  // each looks through the mailboxes of all agents (D11)

// What goes on with a task may have begun after its session's end: assigned again, reviewed. That is of the next one.
// What a human has let go since was begun when its order was sent.
Offset begun_at(const Workspace& workspace, Offset offset, const Task& task) {
  const ReviewedTask* const reviewed = workspace.reviews.of_task(offset);
  if (!reviewed || reviewed->reviews.empty()) return task.assignment();
  return std::max(task.assignment(), reviewed->reviews.back());
}

// Orders that a human is still asked about are no tasks yet; they were begun all the same. How many.
std::size_t withdraw_held(const Deciding& deciding, const SessionEnd& end, const std::string& profile) {
  const Workspace& workspace = deciding.workspace();
  std::size_t withdrawn = 0;
  for (const auto& [offset, approval] : workspace.approvals.all()) {
    if (offset >= end.before || withdrawn == ends_a_step) break;
    if (!approval.waits() || !approval.order || approval.asker == AgentNumber{}) continue;
    if (workspace.registry.agent(approval.asker).properties.profile != profile) continue;
    decide_withdrawn(deciding.decided, workspace, deciding.number, offset);
    ++withdrawn;
  }
  return withdrawn;
}

}  // namespace

void follow_session(const AcceptMessage& command, const Workspace& workspace, event::MessageAccepted& message,
                    std::vector<base::Problem>& warnings) {
  const envelope::Envelope& envelope = command.envelope;
  if (envelope.kind != envelope::Kind::task_abort || !command.ruleset.tasks) return;
  if (text_in(envelope, "scope") != "session") return;
  const std::string target = text_in(envelope, "target");
  if (target != workspace.name) {
    warnings.push_back({"", "NO_EFFECT",
                        "It is delivered, and ends no session here: this one is " + base::quoted(workspace.name) +
                            ", not " + base::quoted(target) + "."});
    return;
  }
  event::SessionAborted& aborted = *message.mutable_session_aborted();
  const std::string reason = text_in(envelope, "reason");
  aborted.set_reason(base::excerpt(reason, session_reason_bytes));
  aborted.set_cleanup(envelope::field(envelope, "cleanup") == "true");
}

void apply_to_session(State& state, WorkspaceNumber number, Offset offset, const event::MessageAccepted& event) {
  if (!event.has_session_aborted()) return;
  // A newer one of the same agent takes in what the one before has left.
  state.unfinished.aborting[{number, AgentNumber(event.sender())}] = {
      offset, state.workspace(number).head, {}, event.session_aborted().reason(), event.session_aborted().cleanup()};
}

void decide_session_step(const Deciding& deciding, AgentNumber sender, std::size_t most, const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  const SessionEnd& end = deciding.state.unfinished.aborting.at({deciding.number, sender});
  const std::string& profile = workspace.registry.agent(sender).properties.profile;
  const profile::Ruleset* const rules = ruleset_of(profile);
  const std::string reason = end.reason.empty() ? "The session was aborted." : end.reason;
  std::size_t looks = 0, ended = 0;
  Offset through = end.through;
  // In steps of their own, before the tasks: what was let go until then is among those.
  const bool all_withdrawn = withdraw_held(deciding, end, profile) == 0;
  if (!all_withdrawn) most = 0;
  auto at = workspace.tasks.all().upper_bound(through);
  for (; at != workspace.tasks.all().end() && at->first < end.before && looks < most && ended < ends_a_step; ++at) {
    ++looks;
    through = at->first;
    const Task& task = *at->second;
    if (!can_be_aborted(task.state)) continue;
    if (begun_at(workspace, through, task) > end.before) continue;
    if (workspace.registry.agent(task.assigner).properties.profile != profile) continue;
    decide_cancelled(deciding, through, rules, {reason, end.cleanup, sender});
    ++ended;
  }
  const bool all_tasks = at == workspace.tasks.all().end() || at->first >= end.before;
  const bool done = all_withdrawn && all_tasks;
  event::SessionTasksEnded& event = *deciding.decided.add(deciding.number).mutable_session_tasks_ended();
  event.set_agent(sender.value);
  event.set_abort(end.by.value);
  event.set_through(through.value);
  event.set_done(done);
}

void apply(State& state, WorkspaceNumber number, const event::SessionTasksEnded& event) {
  const auto at = state.unfinished.aborting.find({number, AgentNumber(event.agent())});
  if (at == state.unfinished.aborting.end() || at->second.by.value != event.abort()) return;
  at->second.through = Offset(event.through());
  if (event.done()) state.unfinished.aborting.erase(at);
}

}  // namespace parley::engine
