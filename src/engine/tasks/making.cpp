#include "engine/tasks/making.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/approvals/held.hpp"
#include "engine/health/availability.hpp"
#include "engine/health/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/notice.hpp"
#include "engine/messages/said.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/parts.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using machine::task::Move;
using machine::task::Step;

std::string name_of(const Workspace& workspace, AgentNumber agent) {
  return base::quoted(workspace.registry.agent(agent).id);
}

AgentNumber party(machine::task::Party who, const Task& task) {
  using machine::task::Party;
  if (who == Party::target && task.offer) return task.offer->target;
  return who == Party::assignee ? task.assignee : task.assigner;
}

const Agent& assignee_of(const TaskScene& scene) {
  return scene.workspace().registry.agent(scene.task().assignee);
}

Instant attempt_until(const TaskScene& scene) {
  return attempt_until(scene.workspace().settings, assignee_of(scene), scene.context.now);
}

// Another order of this very decision is the attempt (R39).
bool is_tried(const TaskScene& scene) {
  return std::ranges::any_of(scene.decided.facts(), [&scene](const Fact& fact) {
    return fact.event.workspace() == scene.number.value && fact.event.task_moved().tried_until() != 0 &&
           fact.event.task_moved().assignee() == scene.task().assignee.value;
  });
}

void write_times(const Making& making, const TaskScene& scene, event::TaskMoved& moved) {
  const Task& task = scene.task();
  if (making.step == Step::postpone) moved.set_again_at(base::unix_us(making.watch.again_at));
  moved.set_let_go(making.step == Step::let_go);
  if (making.step == Step::let_go || making.step == Step::give_again)
    if (const Instant until = attempt_until(scene); until != Instant{}) moved.set_tried_until(base::unix_us(until));
  if (making.step != Step::give_again && making.step != Step::extend) return;
  moved.set_given_again(making.step == Step::give_again);
  moved.set_extended(making.step == Step::extend);
  if (moved.given_again()) moved.set_epoch(task.epoch + 1);
  if (making.watch.deadline != Instant{}) moved.set_deadline(base::unix_us(making.watch.deadline));
  moved.set_timeout(making.watch.timeout.count());
}

}  // namespace

const profile::Recovery* recovery_of(const profile::Ruleset* rules, TaskErrorType type) {
  if (!rules || !rules->tasks) return nullptr;
  if (type == TaskErrorType::timeout) return &rules->tasks->after_timeout;
  return type == TaskErrorType::exception ? &rules->tasks->after_exception : nullptr;
}

std::string opening(const Workspace& workspace, const Task& task) {
  return "Task " + base::quoted(task.id.view()) + " of " + name_of(workspace, task.assignee);
}

std::string offered_no_more(const TaskScene& scene, const std::string& why) {
  return opening(scene.workspace(), scene.task()) + " is offered to " +
         name_of(scene.workspace(), scene.task().offer->target) + " no more: " + why;
}

std::string warning_of_deadline(const TaskScene& scene) {
  return opening(scene.workspace(), scene.task()) + " is late: its deadline was " +
         base::to_rfc3339(scene.task().watch.deadline) + ".";
}

event::TaskError error_of(TaskErrorType type, bool recoverable, std::string message) {
  event::TaskError error;
  error.set_type(static_cast<std::uint32_t>(type));
  error.set_recoverable(recoverable);
  error.set_message(std::move(message));
  return error;
}

Instant order_expires_at(const TaskScene& scene) {
  const Message* const order = scene.workspace().messages.find(scene.task().assignment());
  return order ? order->expires_at : Instant{};
}

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

void tell(const TaskScene& scene, const Move& move, const Making& making) {
  const Task& task = scene.task();
  Saying saying;
  saying.task = task.id.view();
  const bool of_offer = making.step == Step::take_back;
  if (const Message* const about = scene.workspace().messages.find(of_offer ? task.offer->request : task.assignment()))
    saying.reply_to = about->id.view();
  if (making.error) saying.error = task_error_names[making.error->type()];
  saying.task_error = making.error;
  saying.text = making.text;
  saying.cleanup = making.cleanup;
  saying.retries = task.watch.timeouts + task.watch.exceptions;
  for (const machine::task::Told& told : move.tells)
    if (const auto occasion = profile::occasion_named(told.occasion)) {
      const AgentNumber to = party(told.who, task);
      if (to == making.by) continue;  // it knows
      saying.from = to != task.assignee ? task.assignee : of_offer ? task.offer->target : task.assigner;
      say_of_task(scene, to, *occasion, saying);
    }
}

namespace {

// Whether it has the message before it, or had.
bool has_seen(const TaskScene& scene, Offset offset, AgentNumber agent) {
  const Message* const message = scene.workspace().messages.find(offset);
  const Receipt* const receipt = message ? message->receipt_of(agent) : nullptr;
  return receipt && receipt->epoch > 0;
}

}  // namespace

void say_of_task(const TaskScene& scene, AgentNumber to, profile::Occasion occasion, const Saying& saying) {
  using profile::Occasion;
  if (scene.rules->says[static_cast<std::size_t>(occasion)]) return say(scene, to, *scene.rules, occasion, saying);
  const bool of_end = occasion == Occasion::task_aborted;
  const bool hears = to == scene.task().assignee
                         ? of_end && has_seen(scene, scene.task().assignment(), to)
                         : to == scene.task().assigner && (of_end || occasion == Occasion::task_extended);
  if (!hears) return;
  post_notice(scene, to,
              {.code = profile::occasion_names[static_cast<std::size_t>(occasion)],
               .about = {scene.task().assignment()},
               .agents = {},
               .reason = saying.text + (saying.cleanup ? " What was begun is to be undone." : ""),
               .id = saying.reply_to});
}

void tell_of_offer_ended(const TaskScene& scene, const std::string& why) {
  const Task& task = scene.task();
  if (!task.offer || !scene.rules || !has_seen(scene, task.offer->request, task.offer->target)) return;
  const std::string text = offered_no_more(scene, why);
  Saying saying;
  saying.task = task.id.view();
  if (const Message* const offer = scene.workspace().messages.find(task.offer->request))
    saying.reply_to = offer->id.view();
  saying.text = text;
  saying.from = task.assignee;
  say_of_task(scene, task.offer->target, profile::Occasion::task_offer_over, saying);
}

void make(const TaskScene& scene, const Making& making) {
  const Step step = making.step;
  const Move& move = machine::task::move_of(step);
  const Task& task = scene.task();
  const Workspace& workspace = scene.workspace();
  const TaskState state = move.to.value_or(task.state);
  const bool new_times =
      step == Step::postpone || step == Step::give_again || step == Step::extend || step == Step::let_go;
  TaskWatch watch = new_times                       ? making.watch
                    : task.state == TaskState::held ? resumed(task, scene.context.now)
                                                    : task.watch;
  watch.late = making.late;
  event::TaskMoved& moved = begin_move(scene);
  moved.set_state(static_cast<std::uint32_t>(state));
  moved.set_late(making.late);
  moved.set_given_up(step == Step::abandon);
  moved.set_why(making.text);
  write_times(making, scene, moved);
  if (making.error) *moved.mutable_error() = *making.error;
  if (step == Step::take_back || (step == Step::postpone && task.offer))
    moved.mutable_offer()->set_state(event::TaskOffer::OVER);
  if (!scene.rules || !scene.rules->tasks) return;  // its profile is gone
  const Instant due = is_kept_back(state) ? due_while_kept_back(watch, order_expires_at(scene))
                      : state == TaskState::in_parts
                          ? due_in_parts(workspace, task, watch)
                          : due_of(state, watch, policy_of(*scene.rules->tasks, workspace.settings.task_times),
                                   step == Step::take_back ? nullptr : task.offer.get(), assignee_of(scene).spoke_at);
  if (due != Instant{}) moved.set_due(base::unix_us(due));
  tell(scene, move, making);
  if (step == Step::postpone) tell_of_offer_ended(scene, "its owner begins anew.");
}

void give_up(const TaskScene& scene, const event::TaskError& error, const std::string& why, bool decided_by_human) {
  Making making{Step::give_up, scene.task().watch.late,
                opening(scene.workspace(), scene.task()) + " was given up: " + why};
  making.error = &error;
  const Offset by(scene.decided.next_offset(scene.number));
  make(scene, making);
  decide_offer_ended(scene.decided, scene.workspace(), scene.number, by, scene.task());
  tell_of_offer_ended(scene, "the task has ended.");
  decide_order_over(scene.decided, scene.workspace(), scene.number, by, scene.task());
  if (const Offset held = scene.task().held; held != Offset{} && !decided_by_human)
    decide_withdrawn(scene.decided, scene.workspace(), scene.number, held);
}

bool assignee_takes_work(const TaskScene& scene) {
  if (!takes_new_work(scene.workspace().settings, assignee_of(scene), scene.context.now)) return false;
  return attempt_until(scene) == Instant{} || !is_tried(scene);
}

bool can_be_given_again(const TaskScene& scene) {
  const Task& task = scene.task();
  const Agent& assignee = scene.workspace().registry.agent(task.assignee);
  const Message* const order = scene.workspace().messages.find(task.assignment());
  const Receipt* const receipt = order ? order->receipt_of(task.assignee) : nullptr;
  if (!receipt || assignee.removed || task.assignments.size() >= assignments_max) return false;
  if (!assignee_takes_work(scene)) return false;
  if (order->expires() && order->expires_at <= scene.context.now) return false;
  if (open(receipt->state)) return true;
  return can_come_again(*receipt) && has_room(scene.workspace().settings, assignee, order->length,
                                              scene.decided.notices_to(scene.number, task.assignee));
}

namespace {

// Read, it comes to the mailbox once more: what else this turn puts there finds it in it (D11).
void take_room(const TaskScene& scene) {
  const Task& task = scene.task();
  const Message& order = *scene.workspace().messages.find(task.assignment());
  if (open(order.receipt_of(task.assignee)->state)) return;
  Load& before = scene.decided.notices_to(scene.number, task.assignee);
  ++before.messages;
  before.bytes += order.length;
}

}  // namespace

void give_again(const TaskScene& scene) {
  take_room(scene);
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
                  .exceptions = before.exceptions,
                  .asked_since = before.asked_since};
  const bool has_deadline = before.deadline != Instant{};
  if (has_deadline && (longer > 1 || before.deadline <= now))
    making.watch.deadline =
        now + std::min<base::Duration>((std::max(before.deadline, before.assigned_at) - before.assigned_at) * longer,
                                       longest_timeout);
  make(scene, making);
}

}  // namespace parley::engine
