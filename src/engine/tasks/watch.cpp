#include "engine/tasks/watch.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/approvals/held.hpp"
#include "engine/health/availability.hpp"
#include "engine/messages/expiry.hpp"
#include "engine/messages/said.hpp"
#include "engine/reviews/end.hpp"
#include "engine/tasks/abort.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/escalate.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/making.hpp"
#include "engine/tasks/parts.hpp"
#include "envelope/lane.hpp"

namespace parley::engine {
namespace {

using machine::task::Step;

std::string quoted(const Workspace& workspace, AgentNumber agent) {
  return base::quoted(workspace.registry.agent(agent).id);
}

std::string_view name_of(TaskErrorType type) {
  return task_error_names[static_cast<std::size_t>(type)];
}

std::string after(base::Duration wait) {
  return wait > base::Duration{} ? "in " + base::to_text(wait) : "at once";
}

// Of a task that is aborted by `by` nothing more is delivered (COL-20).
void end_orders(const TaskScene& scene, Offset by) {
  event::TaskMoved moved;
  moved.set_task(scene.offset.value);
  moved.set_state(static_cast<std::uint32_t>(TaskState::aborted));
  const LaneId lane = envelope::lane_of(envelope::task_key_of(scene.task().id.view()));  // its order may be forgotten
  decide_orders_over(scene.decided, scene.workspace(), scene.number, by, moved, lane);
  tell_of_offer_ended(scene, "the task has ended.");
}

void abandon(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  Making making{Step::abandon, scene.task().watch.late,
                opening(scene.workspace(), scene.task()) + " was aborted: " + why};
  making.error = &error;
  making.cleanup = true;
  const Offset by(scene.decided.next_offset(scene.number));
  make(scene, making);
  end_orders(scene, by);
}

// The attempt is over: another follows, or none (COL-16, SUP-09).
void end_attempt(const TaskScene& scene, const event::TaskError& error, const std::string& why) {
  const auto type = static_cast<TaskErrorType>(error.type());
  const profile::Recovery* const recovery = recovery_of(scene.rules, type);
  const TaskWatch& watch = scene.task().watch;
  const std::uint32_t before = type == TaskErrorType::timeout ? watch.timeouts : watch.exceptions;
  const auto suggested = static_cast<SuggestedAction>(error.suggested());
  if (suggested == SuggestedAction::abort) return abandon(scene, error, why);  // R36
  const bool was_last = error.recoverable() && recovery && before >= recovery->times;
  const bool asks_for_human = suggested == SuggestedAction::manual || (was_last && recovery->then_human);
  if (asks_for_human && ask_human(scene, error, why)) return;
  if (was_last && recovery->then_abort) return abandon(scene, error, why);
  if (type == TaskErrorType::resource_limit && ask_for_parts(scene, error, why)) return;
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
constexpr std::size_t said_bytes = 500;  // of an error, in a sentence about it

// SUP-05: what a human takes for the answer counts against nobody.
bool stands_still(const TaskWatch& watch) {
  return watch.asked_since != Instant{};
}

Instant times_out_at(const TaskWatch& watch) {
  if (stands_still(watch)) return never;
  return watch.timeout > base::Duration{} ? watch.assigned_at + watch.timeout : never;
}
// COL-08: of the assignee, who may work on several tasks at once.
Instant silent_at(const TaskWatch& watch, const profile::TaskPolicy& policy, Instant spoke_at) {
  if (stands_still(watch)) return never;
  return policy.silence > base::Duration{} ? std::max(watch.heard_at, spoke_at) + policy.silence : never;
}
Instant stalls_at(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy) {
  if (state != TaskState::active || policy.progress_every <= base::Duration{} || stands_still(watch)) return never;
  return std::max(watch.began_at + policy.progress_after, watch.heard_at + policy.progress_every);
}
// COL-08: over while it is stalled it ends the task, else it is a warning, once.
Instant late_at(TaskState state, const TaskWatch& watch) {
  if (watch.deadline == Instant{} || stands_still(watch)) return never;
  return state == TaskState::stalled || !watch.late ? watch.deadline : never;
}

Instant lost_at(TaskState state, const TaskWatch& watch) {
  return state == TaskState::assigned && watch.lost_at != Instant{} ? watch.lost_at : never;
}
Instant offer_over_at(const TaskOffer* offer) {
  return offer && offer->due != Instant{} ? offer->due : never;
}

}  // namespace

TaskWatch begun_now(const TaskWatch& before, Instant now) {
  return {.assigned_at = now,
          .began_at = {},
          .heard_at = now,
          .deadline = before.deadline,
          .timeout = before.timeout,
          .late = before.late};
}

Instant due_while_kept_back(const TaskWatch& watch, Instant expires_at) {
  const Instant due = std::min(late_at(TaskState::waiting, watch), expires_at != Instant{} ? expires_at : never);
  return due == never ? Instant{} : due;
}

Instant due_of(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy, const TaskOffer* offer,
               Instant spoke_at) {
  if (machine::task::is_over(state) || state == TaskState::held || state == TaskState::escalated) return {};
  if (state == TaskState::postponed || state == TaskState::in_parts) return watch.again_at;
  const Instant due =
      std::min({times_out_at(watch), silent_at(watch, policy, spoke_at), stalls_at(state, watch, policy),
                late_at(state, watch), lost_at(state, watch), offer_over_at(offer)});
  return due == never ? Instant{} : due;
}

namespace {

// R38: where an order's id is its task's.
bool is_assigned_once(const profile::Ruleset* rules) {
  return rules && std::ranges::any_of(rules->types, [](const profile::MessageType& type) { return type.names_task; });
}

// What was aborted is assigned by nobody again.
std::string what_helps(const profile::Ruleset* rules, const std::vector<Dependency>& on) {
  const bool is_lost = std::ranges::any_of(
      on, [](const Dependency& one) { return !one.soft && !one.part && one.state == TaskState::aborted; });
  if (is_lost) return "Change what it depends on.";
  return is_assigned_once(rules) ? "Assign that work as a new task, and have it depend on that one."
                                 : "Assign that again, or change what it depends on.";
}

// HND-02: it stays with its owner.
std::string why_over(const TaskScene& scene) {
  const TaskOffer& offer = *scene.task().offer;
  const std::string target = quoted(scene.workspace(), offer.target);
  const bool is_away = is_offline(scene.workspace().registry.agent(offer.target));
  if (is_away || offer.target_left)  // it may be back by now
    return " is offered to " + target + " no more, who " + (is_away ? "is" : "was") +
           " offline: it stays with its owner.";
  return " was not taken by " + target + " before " + base::to_rfc3339(offer.due) + ": it stays with its owner.";
}

// COL-10: its order goes out, or it is said why not; HND-10: or the order's time is over before.
void look_at_kept_back(const TaskScene& scene) {
  const Task& task = scene.task();
  const Instant now = scene.context.now;
  if (const Instant expires_at = order_expires_at(scene); expires_at != Instant{} && expires_at <= now) {
    decide_expired(scene, task.assignment(), {task.assignee});
    const std::string why = "its order expired before what it waits for was completed.";
    return give_up(scene, error_of(TaskErrorType::timeout, false, why), why);
  }
  if (late_at(task.state, task.watch) <= now)
    return make(scene, {Step::warn_of_deadline, true, warning_of_deadline(scene)});
  const TaskDependencies* const all = scene.workspace().dependencies.find(task.id.view());
  const Readiness readiness = all ? readiness_of(all->on) : Readiness::ready;
  if (readiness == Readiness::ready && !assignee_takes_work(scene)) {
    const std::string why = "what it waited for is completed, and its assignee takes no new work now.";
    return give_up(scene, error_of(TaskErrorType::exception, false, why), why);
  }
  if (readiness == Readiness::ready) {
    Making making{Step::let_go, task.watch.late, ""};
    making.watch = begun_now(task.watch, now);
    return make(scene, making);
  }
  if (readiness == Readiness::blocked && task.state == TaskState::waiting)
    return make(scene, {Step::block, task.watch.late,
                        opening(scene.workspace(), task) + " cannot begin: " + why_blocked(scene.workspace(), all->on) +
                            ". " + what_helps(scene.rules, all->on)});
  if (readiness == Readiness::waits && task.state == TaskState::blocked)
    return make(scene, {Step::unblock, task.watch.late, ""});
  if (const Instant due = due_while_kept_back(task.watch, order_expires_at(scene)); due != Instant{})
    begin_move(scene).set_due(base::unix_us(due));
  else
    begin_move(scene);
}

}  // namespace

void decide_task_due(const Deciding& deciding, Offset offset, const profile::Ruleset* rules) {
  const TaskScene scene{deciding, offset, rules};
  const Task& task = scene.task();
  const TaskWatch& watch = task.watch;
  const Instant now = deciding.context.now;
  const profile::TaskPolicy policy =
      rules && rules->tasks ? policy_of(*rules->tasks, scene.workspace().settings.task_times) : profile::TaskPolicy{};
  const auto fails = [&](TaskErrorType type, bool recoverable, const std::string& why) {
    end_attempt(scene, error_of(type, recoverable, why), why);
  };
  if (is_kept_back(task.state)) return look_at_kept_back(scene);
  if (task.state == TaskState::in_parts) return look_at_parts(scene);
  if (task.state == TaskState::postponed) {
    if (watch.again_at <= now && can_be_given_again(scene)) return give_again(scene);
    if (watch.again_at <= now) return fails(TaskErrorType::exception, false, "its order cannot be given again.");
  }
  if (lost_at(task.state, watch) <= now)
    return fails(TaskErrorType::exception, false, "its assignment was never taken.");
  if (times_out_at(watch) <= now)
    return fails(TaskErrorType::timeout, true, "its time of " + base::to_text(watch.timeout) + " is over.");
  const Instant spoke_at = scene.workspace().registry.agent(task.assignee).spoke_at;
  if (silent_at(watch, policy, spoke_at) <= now)
    return fails(TaskErrorType::timeout, false, "not a word for " + base::to_text(policy.silence) + ".");
  if (offer_over_at(task.offer.get()) <= now)
    return make(scene, {Step::take_back, watch.late, opening(scene.workspace(), task) + why_over(scene)});
  if (late_at(task.state, watch) <= now) {
    if (task.state == TaskState::stalled)
      return fails(TaskErrorType::timeout, true,
                   "it is stalled, and its deadline " + base::to_rfc3339(watch.deadline) + " is over.");
    return make(scene, {Step::warn_of_deadline, true, warning_of_deadline(scene)});
  }
  if (stalls_at(task.state, watch, policy) <= now)
    return make(scene, {Step::stall, watch.late,
                        opening(scene.workspace(), task) + " is stalled: no progress since " +
                            base::to_rfc3339(watch.heard_at) + "."});
  // The times were set anew since.
  event::TaskMoved& moved = begin_move(scene);
  if (const Instant due = due_of(task.state, watch, policy, task.offer.get(), spoke_at); due != Instant{})
    moved.set_due(base::unix_us(due));
}

TaskWatch resumed(const Task& task, Instant now) {
  TaskWatch watch = task.watch;
  const bool asks = watch.asked_since != Instant{};  // its times stand still from now on for that alone
  watch.assigned_at += now - (asks ? std::min(watch.asked_since, task.moved_at) : task.moved_at);
  if (asks) watch.asked_since = now;
  // It was late when it came: what was rejected is no attempt, and there is time for another end.
  if (watch.timeout > base::Duration{} && watch.assigned_at + watch.timeout <= now) watch.assigned_at = now;
  watch.heard_at = now;
  if (watch.began_at == Instant{}) watch.began_at = now;
  return watch;
}

TaskWatch answered(const Task& task, Instant now) {
  TaskWatch watch = task.watch;
  const Instant since = std::max(watch.asked_since, watch.assigned_at);
  const Instant until = task.state == TaskState::held ? task.moved_at : now;  // they stand still on their own since
  if (until > since) watch.assigned_at += until - since;
  watch.heard_at = now;
  watch.asked_since = {};
  watch.answered_at = now;
  return watch;
}

void decide_resumed(const Deciding& deciding, Offset offset, const profile::Ruleset* rules) {
  const TaskScene scene{deciding, offset, rules};
  if (is_offline(scene.workspace().registry.agent(scene.task().assignee)) && rules && rules->tasks &&
      rules->tasks->returned) {  // HND-05
    const std::string why = "its end was not accepted, and its assignee is offline.";
    return give_up(scene, error_of(TaskErrorType::exception, false, why), why, true);
  }
  make(scene, {Step::resume, scene.task().watch.late, "Its end was not accepted: the task goes on."});
}

void decide_given_up(const Deciding& deciding, Offset offset, const profile::Ruleset* rules, const std::string& why) {
  give_up({deciding, offset, rules}, error_of(TaskErrorType::exception, false, why), why);
}

void decide_attempt_failed(const Deciding& deciding, Offset offset, const profile::Ruleset* rules,
                           const event::TaskError& error) {
  const TaskScene scene{deciding, offset, rules};
  const auto type = static_cast<TaskErrorType>(error.type());
  const auto suggested = static_cast<SuggestedAction>(error.suggested());
  const bool goes_on = suggested != SuggestedAction::abort && suggested != SuggestedAction::manual;  // R36
  if (type == TaskErrorType::scope_violation && goes_on) {
    Making making{Step::note_error, scene.task().watch.late, ""};
    making.error = &error;
    return make(scene, making);
  }
  std::string why = std::string(name_of(type)) + ": " + base::excerpt(error.message(), said_bytes);
  if (why.back() != '.') why += '.';
  if (suggested == SuggestedAction::reassign) why += " Its assignee suggests that another takes it.";
  if (type == TaskErrorType::resource_limit) why += " Assign it in smaller parts.";
  end_attempt(scene, error, why);
}

void decide_extended(const Deciding& deciding, Offset offset, const profile::Ruleset* rules, const MoreTime& more) {
  const TaskScene scene{deciding, offset, rules};
  const Task& task = scene.task();
  const Instant until = more.until;
  Making making{Step::extend, task.watch.late, ""};
  making.by = more.by;
  making.watch = task.watch;
  making.watch.heard_at = deciding.context.now;
  if (making.watch.timeout > base::Duration{})
    making.watch.timeout = std::max(making.watch.timeout, until - making.watch.assigned_at);
  if (making.watch.deadline != Instant{} && making.watch.deadline < until) {
    making.watch.deadline = until;
    making.late = false;
  }
  const Instant ends =
      making.watch.timeout > base::Duration{} ? making.watch.assigned_at + making.watch.timeout : making.watch.deadline;
  making.text = opening(scene.workspace(), task) + " has time until " + base::to_rfc3339(ends) +
                (more.why.empty() ? "." : ": " + more.why);
  make(scene, making);
}

void decide_offer_over(const Deciding& deciding, Offset offset, const profile::Ruleset* rules, const std::string& why) {
  const TaskScene scene{deciding, offset, rules};
  if (is_ended(scene)) return;  // with its task
  make(scene, {Step::take_back, scene.task().watch.late, offered_no_more(scene, why)});
}

void decide_cancelled(const Deciding& deciding, Offset offset, const profile::Ruleset* rules, const Cancelling& why) {
  const TaskScene scene{deciding, offset, rules};
  if (is_ended(scene)) return;  // with what it is a part of
  Making making{Step::cancel, scene.task().watch.late,
                why.reason.empty() ? opening(scene.workspace(), scene.task()) + " was aborted." : why.reason};
  making.cleanup = why.cleanup;
  making.by = why.by;
  const Offset by(scene.decided.next_offset(scene.number));
  make(scene, making);
  end_orders(scene, by);
  const AgentNumber assigner = scene.task().assigner;
  if (assigner != why.by && assigner != scene.task().assignee) tell_of_abort(scene, assigner, why);
  end_with_it(scene, why);
}

void warn_if_over(Instant deadline, Instant now, std::vector<base::Problem>& warnings) {
  if (deadline > now) return;
  warnings.push_back({"", "DEADLINE_OVER", "The work was wanted by " + base::to_rfc3339(deadline) + "."});
}

}  // namespace parley::engine
