#include "engine/tasks/watch.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/approvals/held.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

using machine::task::Move;
using machine::task::Step;

std::string name_of(const Workspace& workspace, AgentNumber agent) {
  return "'" + workspace.registry.agent(agent).id + "'";
}

std::string opening(const Workspace& workspace, const Task& task) {
  return "Task '" + base::excerpt(task.id.view(), 128) + "' of " + name_of(workspace, task.assignee);
}

struct TaskScene {
  Decided& decided;
  const State& state;
  WorkspaceNumber number;
  Offset offset;
  const profile::Ruleset* rules;
  const Context& context;

  const Workspace& workspace() const { return state.workspace(number); }
  const Task& task() const { return workspace().tasks.at(offset); }
};

event::TaskMoved& begin_move(const TaskScene& scene) {
  const Task& task = scene.task();
  event::TaskMoved& moved = *scene.decided.add(scene.number).mutable_task_moved();
  moved.set_task(scene.offset.value);
  moved.set_id(std::string(task.id.view()));
  moved.set_state(static_cast<std::uint32_t>(task.state));
  moved.set_epoch(task.epoch);
  moved.set_assigner(task.assigner.value);
  moved.set_assignee(task.assignee.value);
  moved.set_late(task.watch.late);
  return moved;
}

AgentNumber party(machine::task::Party who, const Task& task) {
  using machine::task::Party;
  if (who == Party::target && task.offer) return task.offer->target;
  return who == Party::assignee ? task.assignee : task.assigner;
}

// A move of the server's own, and what it says of it.
struct Making {
  Step step;
  bool late;
  std::string text;
  TaskWatch watch{};  // of a move that changes its times
  const event::TaskError* error = nullptr;
  bool cleanup = false;
};

void write_times(const Making& making, const Task& task, event::TaskMoved& moved) {
  if (making.step == Step::postpone) moved.set_again_at(base::unix_us(making.watch.again_at));
  if (making.step != Step::give_again && making.step != Step::extend) return;
  moved.set_given_again(making.step == Step::give_again);
  moved.set_extended(making.step == Step::extend);
  if (moved.given_again()) moved.set_epoch(task.epoch + 1);
  if (making.watch.deadline != Instant{}) moved.set_deadline(base::unix_us(making.watch.deadline));
  moved.set_timeout(making.watch.timeout.count());
}

// With what it tells (R31).
void make(const TaskScene& scene, const Making& making) {
  const Step step = making.step;
  const Move& move = machine::task::move_of(step);
  const Task& task = scene.task();
  const Workspace& workspace = scene.workspace();
  const TaskState state = move.to.value_or(task.state);
  const bool new_times = step == Step::postpone || step == Step::give_again || step == Step::extend;
  TaskWatch watch = new_times                       ? making.watch
                    : task.state == TaskState::held ? resumed(task, scene.context.now)
                                                    : task.watch;
  watch.late = making.late;
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(state));
  moved.set_late(making.late);
  moved.set_why(making.text);
  write_times(making, task, moved);
  if (making.error) *moved.mutable_error() = *making.error;
  if (step == Step::take_back || (step == Step::postpone && task.offer))
    moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  if (!scene.rules || !scene.rules->tasks) return;
  const Instant due = due_of(state, watch, policy_of(*scene.rules->tasks, workspace.settings.task_times),
                             step == Step::take_back ? nullptr : task.offer.get());
  if (due != Instant{}) moved.set_due(base::unix_us(due));

  Saying saying;
  saying.task = task.id.view();
  const bool of_offer = step == Step::take_back;
  if (const Message* const about = workspace.messages.find(of_offer ? task.offer->request : task.assignment()))
    saying.reply_to = about->id.view();
  if (making.error) saying.error = task_error_names[making.error->type()];
  saying.text = making.text;
  saying.cleanup = making.cleanup;
  for (const machine::task::Told& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion)) {
      const AgentNumber to = party(told.who, task);
      saying.from = to != task.assignee ? task.assignee : of_offer ? task.offer->target : task.assigner;
      say(scene.decided, scene.state, scene.number, to, *scene.rules, *occasion, saying, scene.context);
    }
}

std::string_view name_of(TaskErrorType type) {
  return task_error_names[static_cast<std::size_t>(type)];
}

event::TaskError error_of(TaskErrorType type, bool recoverable, std::string message) {
  event::TaskError error;
  error.set_type(static_cast<std::uint32_t>(type));
  error.set_recoverable(recoverable);
  error.set_message(std::move(message));
  return error;
}

void give_up(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  Making making{Step::give_up, scene.task().watch.late,
                opening(scene.workspace(), scene.task()) + " was given up: " + why};
  making.error = &error;
  const Offset by(scene.decided.next_offset(scene.number));
  make(scene, making);
  decide_order_over(scene.decided, scene.workspace(), scene.number, by, scene.task());
  if (const Offset held = scene.task().held; held != Offset{})
    decide_withdrawn(scene.decided, scene.workspace(), scene.number, held);
}

const profile::Recovery* recovery_of(const profile::Ruleset* rules, TaskErrorType type) {
  if (!rules || !rules->tasks) return nullptr;
  if (type == TaskErrorType::timeout) return &rules->tasks->after_timeout;
  return type == TaskErrorType::exception ? &rules->tasks->after_exception : nullptr;
}

// Its order can be had once more: it is still to be read, or was, and has not expired.
bool can_be_given_again(const TaskScene& scene) {
  const Task& task = scene.task();
  const Agent& assignee = scene.workspace().registry.agent(task.assignee);
  const Message* const order = scene.workspace().messages.find(task.assignment());
  const Receipt* const receipt = order ? order->receipt_of(task.assignee) : nullptr;
  if (!receipt || assignee.removed || task.assignments.size() >= assignments_max) return false;
  if (order->expires() && order->expires_at <= scene.context.now) return false;
  if (open(receipt->state)) return true;
  return (receipt->state == ReceiptState::acked || receipt->state == ReceiptState::offered) &&
         has_room(scene.workspace().settings, assignee, order->length);
}

std::string after(base::Duration wait) {
  return wait > base::Duration{} ? "in " + base::to_text(wait) : "at once";
}

// The attempt is over: another follows, or none (COL-16, SUP-09).
void end_attempt(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  const auto type = static_cast<TaskErrorType>(error.type());
  const profile::Recovery* const recovery = recovery_of(scene.rules, type);
  const TaskWatch& watch = scene.task().watch;
  const std::uint32_t before = type == TaskErrorType::timeout ? watch.timeouts : watch.exceptions;
  if (!error.recoverable() || !recovery || before >= recovery->times || !can_be_given_again(scene))
    return give_up(scene, error, why);
  const auto& waits = recovery->waits;
  const base::Duration wait = waits.empty() ? base::Duration{} : waits[std::min<std::size_t>(before, waits.size() - 1)];
  Making making{Step::postpone, watch.late,
                opening(scene.workspace(), scene.task()) + " failed: " + why + " Its order is given again " +
                    after(wait) + ": attempt " + std::to_string(before + 2) + " of " +
                    std::to_string(recovery->times + 1) + "."};
  making.error = &error;
  making.watch.again_at = scene.context.now + wait;
  make(scene, making);
}

// With more time, where the profile says so.
void give_again(const TaskScene& scene) {
  const Task& task = scene.task();
  const auto type = task.error ? task.error->type : TaskErrorType::none;
  const profile::Recovery* const recovery = recovery_of(scene.rules, type);
  const std::uint32_t longer = recovery && type == TaskErrorType::timeout ? recovery->longer : 1;
  const Instant now = scene.context.now;
  Making making{Step::give_again, false, ""};
  const TaskWatch before = making.watch = task.watch;
  making.watch = {.assigned_at = now,
                  .began_at = {},
                  .heard_at = now,
                  .deadline = before.deadline,
                  .timeout = std::min<base::Duration>(before.timeout * longer, longest_timeout),
                  .timeouts = before.timeouts,
                  .exceptions = before.exceptions};
  if (before.deadline != Instant{} && before.deadline <= now)
    making.watch.deadline =
        now + std::min<base::Duration>((std::max(before.deadline, before.assigned_at) - before.assigned_at) * longer,
                                       longest_timeout);
  make(scene, making);
}

}  // namespace

profile::TaskPolicy policy_of(const profile::TaskPolicy& of_profile, const TaskTimes& times) {
  profile::TaskPolicy policy = of_profile;
  policy.progress_after = times.progress_after.value_or(policy.progress_after);
  policy.progress_every = times.progress_every.value_or(policy.progress_every);
  policy.silence = times.silence.value_or(policy.silence);
  return policy;
}

namespace {

constexpr Instant never = Instant::max();

Instant times_out_at(const TaskWatch& watch) {
  return watch.timeout > base::Duration{} ? watch.assigned_at + watch.timeout : never;
}
Instant silent_at(const TaskWatch& watch, const profile::TaskPolicy& policy) {
  return policy.silence > base::Duration{} ? watch.heard_at + policy.silence : never;
}
Instant stalls_at(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy) {
  if (state != TaskState::active || policy.progress_every <= base::Duration{}) return never;
  return std::max(watch.began_at + policy.progress_after, watch.heard_at + policy.progress_every);
}
// COL-08: over while it is stalled it ends the task, else it is a warning, once.
Instant late_at(TaskState state, const TaskWatch& watch) {
  if (watch.deadline == Instant{}) return never;
  return state == TaskState::stalled || !watch.late ? watch.deadline : never;
}

Instant lost_at(TaskState state, const TaskWatch& watch) {
  return state == TaskState::assigned && watch.lost_at != Instant{} ? watch.lost_at : never;
}
Instant offer_over_at(const TaskOffer* offer) {
  return offer && offer->due != Instant{} ? offer->due : never;
}

}  // namespace

Instant due_of(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy, const TaskOffer* offer) {
  if (machine::task::is_over(state) || state == TaskState::held) return {};
  if (state == TaskState::postponed) return watch.again_at;
  const Instant due = std::min({times_out_at(watch), silent_at(watch, policy), stalls_at(state, watch, policy),
                                late_at(state, watch), lost_at(state, watch), offer_over_at(offer)});
  return due == never ? Instant{} : due;
}

void decide_task_due(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context) {
  const TaskScene scene{decided, state, number, offset, rules, context};
  const Task& task = scene.task();
  const TaskWatch& watch = task.watch;
  const Instant now = context.now;
  const profile::TaskPolicy policy =
      rules && rules->tasks ? policy_of(*rules->tasks, scene.workspace().settings.task_times) : profile::TaskPolicy{};
  const auto fails = [&](TaskErrorType type, bool recoverable, const std::string& why) {
    end_attempt(scene, error_of(type, recoverable, why), why);
  };
  if (task.state == TaskState::postponed) {
    if (watch.again_at <= now && can_be_given_again(scene)) return give_again(scene);
    if (watch.again_at <= now) return fails(TaskErrorType::exception, false, "its order cannot be given again.");
  }
  if (lost_at(task.state, watch) <= now)
    return fails(TaskErrorType::exception, false, "its assignment was never taken.");
  if (times_out_at(watch) <= now)
    return fails(TaskErrorType::timeout, true, "its time of " + base::to_text(watch.timeout) + " is over.");
  if (silent_at(watch, policy) <= now)
    return fails(TaskErrorType::timeout, false, "not a word for " + base::to_text(policy.silence) + ".");
  if (offer_over_at(task.offer.get()) <= now)
    return make(scene, {Step::take_back, watch.late,
                        opening(scene.workspace(), task) + " was not taken by " +
                            name_of(scene.workspace(), task.offer->target) + " before " +
                            base::to_rfc3339(task.offer->due) + ": it stays with its owner."});
  if (late_at(task.state, watch) <= now) {
    const std::string deadline = base::to_rfc3339(watch.deadline);
    if (task.state == TaskState::stalled)
      return fails(TaskErrorType::timeout, true, "it is stalled, and its deadline " + deadline + " is over.");
    return make(scene, {Step::warn_of_deadline, true,
                        opening(scene.workspace(), task) + " is late: its deadline was " + deadline + "."});
  }
  if (stalls_at(task.state, watch, policy) <= now)
    return make(scene, {Step::stall, watch.late,
                        opening(scene.workspace(), task) + " is stalled: no progress since " +
                            base::to_rfc3339(watch.heard_at) + "."});
  // The times were set anew since.
  event::TaskMoved& moved = begin_move(scene);
  if (const Instant due = due_of(task.state, watch, policy, task.offer.get()); due != Instant{})
    moved.set_due(base::unix_us(due));
}

TaskWatch resumed(const Task& task, Instant now) {
  TaskWatch watch = task.watch;
  watch.assigned_at += now - task.moved_at;
  watch.heard_at = now;
  if (watch.began_at == Instant{}) watch.began_at = now;
  return watch;
}

void decide_resumed(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                    const profile::Ruleset* rules, const Context& context) {
  const TaskScene scene{decided, state, number, offset, rules, context};
  make(scene, {Step::resume, scene.task().watch.late, "Its end was not accepted: the task goes on."});
}

void decide_given_up(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context, const std::string& why) {
  give_up({decided, state, number, offset, rules, context}, error_of(TaskErrorType::exception, false, why), why);
}

void decide_attempt_failed(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                           const profile::Ruleset* rules, const Context& context, const event::TaskError& error) {
  const TaskScene scene{decided, state, number, offset, rules, context};
  const auto type = static_cast<TaskErrorType>(error.type());
  if (type == TaskErrorType::scope_violation) {
    Making making{Step::note_error, scene.task().watch.late, ""};
    making.error = &error;
    return make(scene, making);
  }
  std::string why = std::string(name_of(type)) + ": " + error.message();
  if (why.back() != '.') why += '.';
  if (static_cast<SuggestedAction>(error.suggested()) == SuggestedAction::reassign)
    why += " Its assignee suggests that another takes it.";
  if (type == TaskErrorType::resource_limit) why += " Assign it in smaller parts.";
  end_attempt(scene, error, why);
}

void decide_extended(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context, Instant until, const std::string& why) {
  const TaskScene scene{decided, state, number, offset, rules, context};
  const Task& task = scene.task();
  Making making{Step::extend, task.watch.late,
                opening(scene.workspace(), task) + " has time until " + base::to_rfc3339(until) +
                    (why.empty() ? "." : ": " + why)};
  making.watch = task.watch;
  making.watch.heard_at = context.now;
  if (making.watch.timeout > base::Duration{})
    making.watch.timeout = std::max(making.watch.timeout, until - making.watch.assigned_at);
  if (making.watch.deadline != Instant{} && making.watch.deadline < until) {
    making.watch.deadline = until;
    making.late = false;
  }
  make(scene, making);
}

void decide_cancelled(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                      const profile::Ruleset* rules, const Context& context, const Cancelling& why) {
  const TaskScene scene{decided, state, number, offset, rules, context};
  const Message* const order = scene.workspace().messages.find(scene.task().assignment());
  Making making{Step::cancel, scene.task().watch.late,
                why.reason.empty() ? opening(scene.workspace(), scene.task()) + " was aborted." : why.reason};
  making.cleanup = why.cleanup;
  const Offset by(decided.next_offset(number));
  make(scene, making);
  event::TaskMoved moved;
  moved.set_task(offset.value);
  moved.set_state(static_cast<std::uint32_t>(TaskState::aborted));
  decide_orders_over(decided, scene.workspace(), number, by, moved, order ? order->lane : LaneId{});
  decide_review_withdrawn(decided, state, number, offset);
}

}  // namespace parley::engine
