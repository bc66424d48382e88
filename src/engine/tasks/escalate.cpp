#include "engine/tasks/escalate.hpp"

#include "engine/appliers.hpp"
#include "engine/messages/said.hpp"
#include "engine/tasks/follow.hpp"
#include "json/writer.hpp"

namespace parley::engine {
namespace {

using machine::task::Step;

// 000 §5.2: what the person sees, and what the decision is bound to.
std::string shown(const TaskScene& scene, const event::TaskError& error) {
  const Task& task = scene.task();
  std::string body;
  json::Writer writer(body);
  writer.begin_object().member("task_id", task.id.view());
  writer.member("error_type", task_error_names[error.type()]).member("error_message", error.message());
  writer.member("recoverable", error.recoverable());
  if (error.suggested() != 0) writer.member("suggested_action", suggested_action_names[error.suggested()]);
  writer.member("assigner", scene.workspace().registry.agent(task.assigner).id);
  writer.member("assignee", scene.workspace().registry.agent(task.assignee).id);
  writer.member("epoch", task.epoch).end_object();
  return body;
}

}  // namespace

bool ask_human(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  const Workspace& workspace = scene.workspace();
  if (!scene.rules || !scene.rules->approvals || workspace.approvals.waiting() >= workspace.settings.approvals)
    return false;
  const base::Duration timeout = scene.rules->approvals->timeout;
  const std::string what = opening(workspace, scene.task()) + " failed: " + why;
  Making making{Step::ask_human, scene.task().watch.late, what + " A human decides whether it is given again."};
  making.error = &error;
  const machine::task::Move& move = machine::task::move_of(making.step);
  const Offset offset(scene.decided.next_offset(scene.number));
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_why(making.text);
  *moved.mutable_error() = error;
  if (scene.task().offer) moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  moved.set_approval_id(made_id(scene.context, offset.value));
  moved.set_approval_subject(what + " Give it again?");
  moved.set_approval_timeout(timeout.count());
  moved.set_approval_due(base::unix_us(scene.context.now + timeout));
  scene.decided.last().body = shown(scene, error);
  tell(scene, move, making);
  // Nobody is to begin what a human may end (SUP-04).
  decide_offer_ended(scene.decided, workspace, scene.number, offset, scene.task());
  tell_of_offer_ended(scene, "a human decides whether it goes on.");
  decide_order_over(scene.decided, workspace, scene.number, offset, scene.task());
  return true;
}

void decide_escalated(const Deciding& deciding, Offset offset, machine::approval::State to, const std::string& why,
                      const RulesetOf& ruleset_of) {
  using OfApproval = machine::approval::State;
  if (!machine::approval::is_over(to)) return;
  const Workspace& workspace = deciding.workspace();
  const Approval& approval = *workspace.approvals.find(offset);
  const auto known = workspace.tasks.find(approval.task);
  if (!known) return;
  const Task& task = workspace.tasks.at(*known);
  if (task.state != TaskState::escalated || task.held != offset) return;
  const Agent& assigner = workspace.registry.agent(task.assigner);
  const TaskScene scene{deciding, *known, ruleset_of(assigner.properties.profile)};
  const bool again = to == OfApproval::approved || to == OfApproval::modified;
  if (again && can_be_given_again(scene)) return give_again(scene);
  const std::string reason = again ? "its order cannot be given again." : why;
  give_up(scene, error_of(task.error ? task.error->type : TaskErrorType::exception, false, reason), reason, true);
}

void open_approval(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                   const event::TaskMoved& event, const Placed& placed) {
  if (event.approval_id().empty()) return;
  Approval approval;
  approval.id = base::PackedText(event.approval_id());
  approval.task = event.id();
  approval.subject = event.approval_subject();
  approval.why = event.why();
  approval.offered = set_of(Decision::approve);
  approval.timeout = base::Duration(event.approval_timeout());
  approval.opened_at = placed.at;
  approval.due = base::instant_of(event.approval_due());
  approval.state = *machine::approval::move_of(machine::approval::Step::ask).to;
  approval.position = placed.position;
  approval.shown = placed.body_hash;
  for (const std::uint32_t agent : {event.assigner(), event.assignee()}) approval.told.emplace_back(agent);
  state.timers.insert({approval.due, TimerKind::approval_times_out, number, {}, offset});
  workspace.approvals.add(offset, std::move(approval));
}

}  // namespace parley::engine
