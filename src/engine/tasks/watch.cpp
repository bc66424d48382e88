#include "engine/tasks/watch.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "engine/approvals/held.hpp"
#include "engine/messages/said.hpp"

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

struct Scene {
  Decided& decided;
  const State& state;
  WorkspaceNumber number;
  Offset offset;
  const profile::Ruleset* rules;
  const Context& context;

  const Workspace& workspace() const { return state.workspace(number); }
  const Task& task() const { return workspace().tasks.at(offset); }
};

event::TaskMoved& begin_move(const Scene& scene) {
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

// A move of the server's own, and what it tells (R31).
void make(const Scene& scene, Step step, bool late, std::string_view error, const std::string& text) {
  const Move& move = machine::task::move_of(step);
  const Task& task = scene.task();
  const Workspace& workspace = scene.workspace();
  const TaskState state = move.to.value_or(task.state);
  TaskWatch watch = task.state == TaskState::held ? resumed(task, scene.context.now) : task.watch;
  watch.late = late;
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(state));
  moved.set_late(late);
  moved.set_why(text);
  if (step == Step::take_back) moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  if (!scene.rules || !scene.rules->tasks) return;
  const Instant due = due_of(state, watch, policy_of(*scene.rules->tasks, workspace.settings.task_times),
                             step == Step::take_back ? nullptr : task.offer.get());
  if (due != Instant{}) moved.set_due(base::unix_us(due));

  Saying saying;
  saying.task = task.id.view();
  const bool of_offer = step == Step::take_back;
  if (const Message* const about = workspace.messages.find(of_offer ? task.offer->request : task.assignment()))
    saying.reply_to = about->id.view();
  saying.error = error;
  saying.text = text;
  for (const machine::task::Told& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion)) {
      const AgentNumber to = party(told.who, task);
      saying.from = to == task.assignee && of_offer ? task.offer->target : task.assignee;
      say(scene.decided, scene.state, scene.number, to, *scene.rules, *occasion, saying, scene.context);
    }
}

void give_up(const Scene& scene, std::string_view error, const std::string& why) {
  if (const Offset held = scene.task().held; held != Offset{})
    decide_withdrawn(scene.decided, scene.state, scene.number, held);
  make(scene, Step::give_up, scene.task().watch.late, error,
       opening(scene.workspace(), scene.task()) + " was given up: " + why);
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

Instant offer_over_at(const TaskOffer* offer) {
  return offer && offer->due != Instant{} ? offer->due : never;
}

}  // namespace

Instant due_of(TaskState state, const TaskWatch& watch, const profile::TaskPolicy& policy, const TaskOffer* offer) {
  if (machine::task::is_over(state) || state == TaskState::held) return {};
  const Instant due = std::min({times_out_at(watch), silent_at(watch, policy), stalls_at(state, watch, policy),
                                late_at(state, watch), offer_over_at(offer)});
  return due == never ? Instant{} : due;
}

void decide_task_due(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context) {
  const Scene scene{decided, state, number, offset, rules, context};
  const Task& task = scene.task();
  const TaskWatch& watch = task.watch;
  const Instant now = context.now;
  const profile::TaskPolicy policy =
      rules && rules->tasks ? policy_of(*rules->tasks, scene.workspace().settings.task_times) : profile::TaskPolicy{};
  if (times_out_at(watch) <= now)
    return give_up(scene, "timeout", "its time of " + base::to_text(watch.timeout) + " is over.");
  if (silent_at(watch, policy) <= now)
    return give_up(scene, "timeout", "not a word for " + base::to_text(policy.silence) + ".");
  if (offer_over_at(task.offer.get()) <= now)
    return make(scene, Step::take_back, watch.late, "",
                opening(scene.workspace(), task) + " was not taken by " +
                    name_of(scene.workspace(), task.offer->target) + " before " + base::to_rfc3339(task.offer->due) +
                    ": it stays with its owner.");
  if (late_at(task.state, watch) <= now) {
    const std::string deadline = base::to_rfc3339(watch.deadline);
    if (task.state == TaskState::stalled)
      return give_up(scene, "timeout", "it is stalled, and its deadline " + deadline + " is over.");
    return make(scene, Step::warn_of_deadline, true, "",
                opening(scene.workspace(), task) + " is late: its deadline was " + deadline + ".");
  }
  if (stalls_at(task.state, watch, policy) <= now)
    return make(
        scene, Step::stall, watch.late, "",
        opening(scene.workspace(), task) + " is stalled: no progress since " + base::to_rfc3339(watch.heard_at) + ".");
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
  const Scene scene{decided, state, number, offset, rules, context};
  make(scene, Step::resume, scene.task().watch.late, "", "Its end was not accepted: the task goes on.");
}

void decide_given_up(Decided& decided, const State& state, WorkspaceNumber number, Offset offset,
                     const profile::Ruleset* rules, const Context& context, std::string_view error,
                     const std::string& why) {
  give_up({decided, state, number, offset, rules, context}, error, why);
}

}  // namespace parley::engine
