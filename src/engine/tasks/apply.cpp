// What moves of tasks change in the state.
#include <algorithm>

#include "engine/appliers.hpp"
#include "engine/approvals/questions.hpp"
#include "engine/health/follow.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/requests/follow.hpp"
#include "engine/resources/allot.hpp"
#include "engine/resources/shares_kept.hpp"
#include "engine/steps.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/escalate.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/handoff.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

Timer timer_of(WorkspaceNumber number, Offset task, Instant due) {
  return {due, TimerKind::task_due, number, {}, task};
}

Instant instant(std::int64_t us) {
  return us != 0 ? base::instant_of(us) : Instant{};
}

// While a task changes: what it needs of the remembered messages before and after. A message that nothing needs any
// more leaves the state, if its place in the remembered window has gone by.
class NeedsKept {
 public:
  NeedsKept(Workspace& workspace, const Task& task) : workspace_(workspace), task_(task), before_(task.needed()) {}
  NeedsKept(const NeedsKept&) = delete;
  NeedsKept& operator=(const NeedsKept&) = delete;
  ~NeedsKept() {
    const Needed after = task_.needed();
    if (after == before_) return;
    for (const Offset offset : {after.order, after.offer, after.split})
      if (Message* const message = find(offset)) ++message->needed;
    for (const Offset offset : {before_.order, before_.offer, before_.split})
      if (Message* const message = find(offset)) {
        --message->needed;
        forget_if_settled(workspace_, offset, *message);
      }
  }

 private:
  Message* find(Offset offset) { return offset == Offset{} ? nullptr : workspace_.messages.find(offset); }

  Workspace& workspace_;
  const Task& task_;
  const Needed before_;
};

// The task that a fact changes. `by`: the fact's offset.
struct Changing {
  State& state;
  Workspace& workspace;
  WorkspaceNumber number;
  Offset offset;
  Task& task;
  Offset by;
  Instant at;
};

// BEY-05: who has begun the work judges it no more, also once another has it.
void note_author(Workspace& workspace, Offset offset, const Task& task) {
  if (task.assignee == AgentNumber{} || task.watch.began_at == Instant{}) return;
  std::vector<AgentNumber>& authors = workspace.reviews.task(offset).authors;
  if (std::ranges::find(authors, task.assignee) == authors.end()) authors.push_back(task.assignee);
}

void follow_offer(const Changing& changing, const event::TaskMoved& event) {
  const auto& [state, workspace, number, offset, task, by, at] = changing;
  using event::TaskOffer;
  Tasks& tasks = workspace.tasks;
  const Offset request = task.offer ? task.offer->request : Offset{};
  if (event.offer().state() == TaskOffer::OFFERED) return tasks.offer(offset, read_offer(by, event.offer()));
  tasks.end_offer(task);
  // The offer is the order that its new owner acts upon.
  if (event.offer().state() != TaskOffer::ACCEPTED) return workspace.messages.end(request);
  end_questions(state, workspace, number, task, at);
  end_corrections(state, workspace, number, task.assignment(), at);
  if (task.watch.asked_since != Instant{}) task.watch = answered(task, at);
  tasks.assign(offset, task, request, task.assigner, AgentNumber(event.assignee()));
  task.given_at = workspace.head;
  give(task, event);
}

void assign(const Changing& changing, const event::TaskMoved& event) {
  const auto& [state, workspace, number, offset, task, by, at] = changing;
  end_questions(state, workspace, number, task, at);
  if (!task.assignments.empty()) end_corrections(state, workspace, number, task.assignment(), at);
  workspace.tasks.assign(offset, task, by, AgentNumber(event.assigner()), AgentNumber(event.assignee()));
  task.ordered = by;
  task.given_at = workspace.head;  // a released message is an old one
  if (task.assignments.size() > 1) drop_parts(workspace, task);
  task.error = nullptr;
  task.taken = {};
  give(task, event);
  task.watch = {.assigned_at = at,
                .began_at = {},
                .heard_at = at,
                .deadline = instant(event.deadline()),
                .timeout = base::Duration(event.timeout())};
  if (event.max_iterations() > 0) task.max_iterations = event.max_iterations();
  workspace.tasks.set_terms(offset, task,
                            {.scope = base::PackedTexts(event.scope()),
                             .reference_files = base::PackedTexts(event.reference_files()),
                             .chain = base::PackedText(event.chain()),
                             .risk = event.has_risk() ? std::optional(event.risk()) : std::nullopt,
                             .confidence_threshold = event.confidence_threshold(),
                             .needs_approval = event.needs_approval(),
                             .testing_required = event.testing_required(),
                             .flagged = event.flagged()});
}

void note_error(Task& task, const event::TaskError& error, TaskState to, Instant at) {
  const auto type = static_cast<TaskErrorType>(error.type());
  task.error = std::make_unique<TaskError>(TaskError{.type = type,
                                                     .message = error.message(),
                                                     .recoverable = error.recoverable(),
                                                     .suggested = static_cast<SuggestedAction>(error.suggested()),
                                                     .reporter = AgentNumber(error.reporter()),
                                                     .at = at});
  if (to == TaskState::postponed) ++(type == TaskErrorType::timeout ? task.watch.timeouts : task.watch.exceptions);
}

// COL-16: its assignee has the order before it once more, in the same bytes. Where that has not acked it yet, an ack of
// that offer is of the attempt before.
void give_again(const Scene& scene, Offset offset, const event::TaskMoved& event) {
  Task& task = scene.workspace.tasks.at(offset);
  note_author(scene.workspace, offset, task);  // its time begins anew
  task.taken = {};
  const Offset order = task.assignment();
  scene.workspace.tasks.assign(offset, task, order, task.assigner, task.assignee);
  task.watch = {.assigned_at = scene.now,
                .began_at = {},
                .heard_at = scene.now,
                .deadline = instant(event.deadline()),
                .timeout = base::Duration(event.timeout()),
                .timeouts = task.watch.timeouts,
                .exceptions = task.watch.exceptions,
                .asked_since = task.watch.asked_since};
  const Found found = find(scene.workspace, scene.agent_number, order);
  if (found && can_come_again(*found.receipt))
    reopen(scene, order, *found.message, *found.receipt);
  else if (found && open(found.receipt->state))
    begin_anew(scene, order, *found.message, *found.receipt);
  else
    task.watch.lost_at = scene.now;  // in the turn that decided this: the server looks again at once
}

// COL-10: what it waited for is completed; its time begins now.
void let_go(const Scene& scene, Offset offset) {
  Task& task = scene.workspace.tasks.at(offset);
  task.watch = begun_now(task.watch, scene.now);
  const Found found = find(scene.workspace, scene.agent_number, task.assignment());
  if (!found || found.receipt->state != ReceiptState::held) {
    task.watch.lost_at = scene.now;  // the server looks again at once
    return;
  }
  end_hold(scene, *found.message, *found.receipt);
  reopen(scene, task.assignment(), *found.message, *found.receipt);
}

void move(const Changing& changing, const event::TaskMoved& event) {
  const auto& [state, workspace, number, offset, task, by, at] = changing;
  const auto to = static_cast<TaskState>(event.state());
  if (task.state == TaskState::held && to != TaskState::held) task.watch = resumed(task, at);
  if (task.state != to) task.held = to == TaskState::held || to == TaskState::escalated ? by : Offset{};
  const bool moved = task.state != to;
  if (moved) task.moved_at = at;
  if (to == TaskState::active && task.watch.began_at == Instant{}) task.watch.began_at = at;
  const bool was_over = machine::task::is_over(task.state);
  task.state = to;
  task.given_up = event.given_up();
  task.epoch = event.epoch();
  task.watch.late = event.late();
  if (to != TaskState::assigned) task.watch.lost_at = {};
  Instant due = instant(event.due());
  // Decided before it was known that its order or its offer is lost: the server still looks at it at once.
  if (to == TaskState::assigned && task.watch.lost_at != Instant{}) due = task.watch.lost_at;
  if (task.offer && task.offer->due != Instant{} && task.offer->due <= at) due = task.offer->due;
  const bool stands_still = machine::task::is_over(to) || to == TaskState::held || to == TaskState::escalated;
  if (stands_otherwise(workspace, task)) due = at;  // decided before what it waits for moved
  if (std::exchange(task.watch.answered_at, {}) == at && !awaits_another(to)) due = at;
  look_at(state, number, offset, task, stands_still ? Instant{} : due);
  if (moved) note_moved(state, workspace, number, task, at);
  if (was_over && to == TaskState::in_review) workspace.tasks.set_aside(offset, task);
  if (to != TaskState::in_review) task.in_part = to == TaskState::partial;
  if (to == TaskState::aborted) withdraw_request(state, workspace, number, task.ordered);
  if (!machine::task::is_over(to) || was_over) return;
  end_questions(state, workspace, number, task, at);
  end_corrections(state, workspace, number, task.assignment(), at);
  if (task.offer) workspace.messages.end(task.offer->request);
  workspace.tasks.end(offset, task, std::max(by, workspace.head));  // a released message is an old one
}

// Not: that its assignee goes on, or that the server looks again later.
bool changes(const Task& task, const event::TaskMoved& event) {
  return static_cast<TaskState>(event.state()) != task.state || event.epoch() != task.epoch || event.has_offer() ||
         event.has_error() || event.extended() || event.late() != task.watch.late;
}

// Its assignee's own word: an acknowledgment, the acceptance of an offer, or a first sign of work.
bool takes(const Task& task, const event::TaskMoved& event) {
  return event.offer().state() == event::TaskOffer::ACCEPTED ||
         (task.state == TaskState::assigned && static_cast<TaskState>(event.state()) == TaskState::active);
}

void note(Task& task, const Placed& placed) {
  if (task.history.size() == task_notes_kept) task.history.erase(task.history.begin());
  task.history.push_back({placed.position, placed.at});
}

// Of the tasks that are over, and with them what is known of their reviews and of what they depended on.
void keep_newest(Workspace& workspace) {
  workspace.tasks.keep(workspace.settings.tasks, [&workspace](Offset gone, const Task& task) {
    for (const Offset order : task.assignments) workspace.messages.end(order);
    if (const ReviewedTask* const reviewed = workspace.reviews.of_task(gone))
      for (const Offset request : reviewed->reviews) workspace.messages.end(request);
    workspace.reviews.forget(gone);
    workspace.dependencies.drop(task.id.view());
  });
}

}  // namespace

void look_at(State& state, WorkspaceNumber number, Offset offset, Task& task, Instant due) {
  if (task.due == due) return;
  if (task.due != Instant{}) state.timers.erase(timer_of(number, offset, task.due));
  task.due = due;
  if (due != Instant{}) state.timers.insert(timer_of(number, offset, due));
}

void note_order_lost(const Scene& scene, Offset message) {
  Tasks& tasks = scene.workspace.tasks;
  if (const auto offered = tasks.of_offer(message)) {
    tasks.at(*offered).offer->due = scene.now;
    if (tasks.at(*offered).state == TaskState::held) return;
    return look_at(scene.state, scene.number, *offered, tasks.at(*offered), scene.now);
  }
  const auto offset = tasks.of_assignment(message);
  if (!offset) return;
  Task& task = tasks.at(*offset);
  if (task.state != TaskState::assigned || task.assignment() != message || task.assignee != scene.agent_number) return;
  task.watch.lost_at = scene.now;
  look_at(scene.state, scene.number, *offset, task, scene.now);
}

void apply_to_tasks(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                    const event::MessageAccepted& event, const Placed& placed) {
  const Instant at = placed.at;
  if (!event.has_task_moved()) return;
  const event::TaskMoved& moved = event.task_moved();
  const bool first = moved.task() == 0;
  const Offset of_task = first ? offset : Offset(moved.task());
  Task& task = first ? workspace.tasks.add(offset, event.task()) : workspace.tasks.at(of_task);
  {
    const Changing changing{state, workspace, number, of_task, task, offset, at};
    const NeedsKept needs(workspace, task);
    const SharesKept shares(workspace, task);
    if (moved.assignee() != 0) note_author(workspace, of_task, task);
    if (moved.has_offer())
      follow_offer(changing, moved);
    else if (moved.assignee() != 0)
      assign(changing, moved);
    apply_named(workspace, event);
    apply_part(workspace, event);
    if (changes(task, moved)) note(task, placed);
    if (takes(task, moved)) task.taken = placed.position;
    if (moved.assignee() != 0 || AgentNumber(event.sender()) == task.assignee) task.watch.heard_at = at;
    if (event.held() && task.state == TaskState::held && static_cast<TaskState>(moved.state()) == TaskState::held)
      task.held = offset;  // it stands in the place of what held the task before
    move(changing, moved);
  }
  keep_newest(workspace);
}

// Also what is held: an ack of it comes too late (P4).
void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::MessagesSuperseded& event,
           Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  for (const std::uint64_t offset : event.offsets()) {
    const Found found = find(workspace, scene.agent_number, Offset(offset));
    if (found && open(found.receipt->state))
      close(scene, Offset(offset), *found.message, *found.receipt, ReceiptState::superseded);
    else if (found && found.receipt->state == ReceiptState::held)  // kept back (COL-10)
      withhold(scene, Offset(offset), *found.message, *found.receipt, ReceiptState::superseded);
  }
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, const event::TaskMoved& event,
           const Placed& placed) {
  const Instant at = placed.at;
  {
    const Offset of_task(event.task());
    Task& task = workspace.tasks.at(of_task);
    const Changing changing{state, workspace, number, of_task, task, offset, at};
    const NeedsKept needs(workspace, task);
    const SharesKept shares(workspace, task);
    if (changes(task, event)) note(task, placed);
    if (event.has_error()) note_error(task, event.error(), static_cast<TaskState>(event.state()), at);
    if (event.again_at() != 0) task.watch.again_at = base::instant_of(event.again_at());
    if (event.tried_until() != 0)
      apply_attempt(workspace, AgentNumber(event.assignee()), base::instant_of(event.tried_until()), {});
    if (event.let_go()) let_go({state, workspace, number, task.assignee, at}, of_task);
    if (event.given_again()) give_again({state, workspace, number, task.assignee, at}, of_task, event);
    if (event.extended()) {
      task.watch.heard_at = at;
      task.watch.deadline = instant(event.deadline());
      task.watch.timeout = base::Duration(event.timeout());
    }
    if (event.has_offer()) follow_offer(changing, event);
    if (event.split_by() != 0) {
      drop_parts(workspace, task);
      workspace.tasks.split(of_task, task, Offset(event.split_by()));
    }
    open_approval(state, workspace, number, offset, event, placed);
    move(changing, event);
  }
  keep_newest(workspace);
  const AgentNumber assignee(event.assignee());
  if (workspace.registry.agent(assignee).removed && has_left(workspace, assignee))
    state.unfinished.leaving.erase({number, assignee});
}

}  // namespace parley::engine
