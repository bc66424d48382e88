#include "engine/tasks/parts.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/messages/said.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

using machine::task::Step;

constexpr std::size_t parts_named = 10;

// What was completed in part, or sent back, is assigned again; what was aborted and is a part still was given up.
bool has_ended(TaskState state) {
  return state == TaskState::completed || state == TaskState::failed || state == TaskState::aborted;
}

// What its assigner took back or aborted is none any more: another stands in its place, or none.
bool is_part(const Dependency& dependency) {
  return dependency.part && (dependency.state != TaskState::aborted || dependency.given_up);
}

// "'a' (completed), 'b' (failed)"
std::string parts_listed(const std::vector<Dependency>& on) {
  std::string text;
  std::size_t count = 0;
  for (const Dependency& part : on) {
    if (!is_part(part) || ++count > parts_named) continue;
    text += (count > 1 ? ", '" : "'") + base::excerpt(part.id.view(), 128) + "' (" +
            std::string(machine::task::name(part.state)) + ")";
  }
  return count > parts_named ? text + ", …" : text;
}

const std::vector<Dependency>* parts_of(const Workspace& workspace, const Task& task) {
  const TaskDependencies* const all = workspace.dependencies.find(task.id.view());
  return all && std::ranges::any_of(all->on, is_part) ? &all->on : nullptr;
}

// And there is one.
bool have_ended(const std::vector<Dependency>& on) {
  return std::ranges::all_of(on, [](const Dependency& d) { return !is_part(d) || has_ended(d.state); });
}

// And an assignment of then answers the request for them that stands, not one of before.
bool is_in_parts(const Workspace& workspace, Offset whole, Offset assignment) {
  const auto known = workspace.tasks.all().find(whole);
  return known != workspace.tasks.all().end() && known->second->state == TaskState::in_parts &&
         assignment > known->second->split_by;
}

// What its release would be a part of goes on without it, or is over: rejecting is left (decision 10).
base::Result<std::optional<Offset>> still_in_parts(const Workspace& workspace, const Approval& approval,
                                                   Offset released) {
  if (is_in_parts(workspace, approval.part_of, released)) return approval.part_of;
  const auto whole = workspace.tasks.all().find(approval.part_of);
  return base::fail(base::ErrorCode::OUT_OF_SEQUENCE,
                    "the task that it was to be a part of is " +
                        (whole == workspace.tasks.all().end() ? std::string("forgotten")
                                                              : std::string(machine::task::name(whole->second->state))),
                    "task", "It can only be rejected.");
}

// What asks for parts, and this answers.
std::optional<Offset> answered_split(const AcceptMessage& command, const Workspace& workspace) {
  const std::string& answers = command.envelope.reply_to;
  const auto message = answers.empty() ? std::nullopt : workspace.message_of(id_key_of(answers));
  const auto whole = message ? workspace.tasks.of_split(*message) : std::nullopt;
  if (!whole) return std::nullopt;
  const Task& task = workspace.tasks.at(*whole);
  const bool may = command.sender == task.assigner || workspace.registry.agent(task.assigner).removed;
  return may && task.id.view() != command.envelope.task ? whole : std::nullopt;
}

base::Result<std::optional<Offset>> whole_of(const AcceptMessage& command, const Workspace& workspace,
                                             Offset released) {
  const Approval* const approval = released == Offset{} ? nullptr : workspace.approvals.find(released);
  if (approval && approval->part_of != Offset{}) return still_in_parts(workspace, *approval, released);
  // In the place of a part about which a human has yet to decide, or that was not let through (BEY-03).
  const Approval* const before = command.supersedes ? workspace.approvals.find(command.supersedes->message) : nullptr;
  const bool anew = before && !before->let_through() && before->task == command.envelope.task;
  if (anew && is_in_parts(workspace, before->part_of, command.supersedes->message)) return before->part_of;
  return answered_split(command, workspace);
}

// Assigned as one of its parts, and a human decides first (decision 10).
bool a_part_is_held(const Workspace& workspace, Offset whole) {
  return std::ranges::any_of(workspace.approvals.all(),
                             [whole](const auto& one) { return one.second.part_of == whole && one.second.waits(); });
}

}  // namespace

bool parts_have_ended(const Workspace& workspace, const Task& whole) {
  const std::vector<Dependency>* const on = parts_of(workspace, whole);
  return on && have_ended(*on) && !a_part_is_held(workspace, whole.assignments.front());
}

bool awaits_parts(const Workspace& workspace, const Task& whole) {
  return !parts_of(workspace, whole) && !a_part_is_held(workspace, whole.assignments.front());
}

Instant due_in_parts(const Workspace& workspace, const Task& whole, const TaskWatch& watch) {
  const bool awaited = awaits_parts(workspace, whole);
  const Instant late = watch.deadline != Instant{} && !watch.late ? watch.deadline : Instant::max();
  const Instant due = std::min(awaited ? watch.again_at : Instant::max(), late);
  return due == Instant::max() ? Instant{} : due;
}

bool ask_for_parts(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  const Task& task = scene.task();
  if (!scene.rules || !scene.rules->tasks || scene.rules->tasks->parts_within <= base::Duration{}) return false;
  const base::Duration within = scene.rules->tasks->parts_within;
  Making making{Step::split, task.watch.late,
                opening(scene.workspace(), task) + " is too large: " + why +
                    " Answer this message with their assignments within " + base::to_text(within) +
                    ": it ends when its parts do."};
  making.error = &error;
  const machine::task::Move& move = machine::task::move_of(making.step);
  const Offset request(scene.decided.next_offset(scene.number));
  tell(scene, move, making);
  if (scene.decided.next_offset(scene.number) == request.value) return false;  // nobody hears of it
  const Offset by(scene.decided.next_offset(scene.number));
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(*move.to));
  moved.set_why(making.text);
  *moved.mutable_error() = error;
  moved.set_split_by(request.value);
  moved.set_again_at(base::unix_us(scene.context.now + within));
  const bool will_be_late = task.watch.deadline != Instant{} && !task.watch.late;
  moved.set_due(will_be_late ? std::min(moved.again_at(), base::unix_us(task.watch.deadline)) : moved.again_at());
  if (task.offer) moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  decide_offer_ended(scene.decided, scene.workspace(), scene.number, by, task);
  tell_of_offer_ended(scene, "it is done in parts.");
  decide_order_over(scene.decided, scene.workspace(), scene.number, by, task);  // its parts are worked on
  return true;
}

void look_at_parts(const TaskScene& scene) {
  const Task& task = scene.task();
  const Instant now = scene.context.now;
  const auto fails = [&scene](const std::string& why) {
    give_up(scene, error_of(TaskErrorType::resource_limit, false, why), why);
  };
  const std::vector<Dependency>* const on = parts_of(scene.workspace(), task);
  const bool held = a_part_is_held(scene.workspace(), scene.offset);
  if (!on && !held && task.watch.again_at <= now) return fails("nobody assigned it in parts.");
  if (task.watch.deadline != Instant{} && task.watch.deadline <= now && !task.watch.late)
    return make(scene, {Step::warn_of_deadline, true, warning_of_deadline(scene)});
  if (!on || held || !have_ended(*on)) {
    event::TaskMoved& moved = begin_move(scene);
    if (const Instant due = due_in_parts(scene.workspace(), task, task.watch); due != Instant{})
      moved.set_due(base::unix_us(due));
    return;
  }
  const bool all =
      std::ranges::all_of(*on, [](const Dependency& d) { return !is_part(d) || d.state == TaskState::completed; });
  if (!all) return fails("its parts ended, not all with a result: " + parts_listed(*on) + ".");
  make(scene, {Step::join, task.watch.late,
               opening(scene.workspace(), task) + " is completed in parts: " + parts_listed(*on) + "."});
}

base::Result<std::optional<Offset>> split_answered(const AcceptMessage& command, const Workspace& workspace,
                                                   Offset released) {
  PARLEY_TRY(const auto whole, whole_of(command, workspace, released));
  if (!whole) return std::nullopt;
  PARLEY_CHECK(check_part(command, workspace, workspace.tasks.at(*whole).id.view()));
  return whole;
}

}  // namespace parley::engine
