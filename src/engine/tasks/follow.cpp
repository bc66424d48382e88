#include "engine/tasks/follow.hpp"

#include <algorithm>
#include <charconv>

#include "engine/appliers.hpp"
#include "engine/steps.hpp"
#include "engine/tasks/moves.hpp"
#include "engine/tasks/refusal.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;
using machine::task::Move;
using machine::task::Party;

constexpr base::Duration longest_timeout = std::chrono::hours(24 * 30);

bool is_about_a_task(Kind kind) {
  switch (kind) {
    case Kind::task_assign:
    case Kind::task_ack:
    case Kind::task_progress:
    case Kind::task_complete:
    case Kind::task_fail:
    case Kind::task_abort:
      return true;
    default:
      return false;
  }
}

// Without the quotes; values that need escapes name nothing that was assigned.
std::string_view unquoted(std::string_view json) {
  return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

Timer timer_of(WorkspaceNumber number, Offset task, Instant due) {
  return {due, TimerKind::task_due, number, {}, task};
}

std::optional<Instant> instant_in(const envelope::Envelope& envelope, std::string_view name) {
  const auto instant = base::parse_rfc3339(unquoted(field(envelope, name)));
  return instant ? std::optional(*instant) : std::nullopt;
}

base::Duration timeout_in(const envelope::Envelope& envelope, base::Duration otherwise) {
  const std::string_view stated = field(envelope, "timeout_seconds");
  double seconds = 0;
  const auto read = std::from_chars(stated.data(), stated.data() + stated.size(), seconds);
  if (stated.empty() || read.ec != std::errc() || !(seconds > 0)) return otherwise;
  constexpr double most = std::chrono::duration<double>(longest_timeout).count();
  return std::max(std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(std::min(seconds, most))),
                  base::Duration(1));
}

// One message at the task's table.
class Follow {
 public:
  Follow(const AcceptMessage& command, const Workspace& workspace, const std::vector<AgentNumber>& to,
         const Context& context)
      : command_(command),
        workspace_(workspace),
        to_(to),
        context_(context),
        policy_(policy_of(*command.ruleset.tasks, workspace.settings.task_times)),
        facts_{policy_.needs_ack, {}} {}

  using Moved = base::Result<std::optional<event::TaskMoved>>;

  Moved assign() {
    const std::string& id = command_.envelope.task;
    if (to_.size() != 1) return std::nullopt;  // work for several is several tasks
    const auto known = workspace_.tasks.find(id);
    if (!known) {
      PARLEY_CHECK(check_room());
      return assigned({}, 1);
    }
    const Task& task = workspace_.tasks.at(*known);
    PARLEY_TRY(const Move* const move, move_of(task));
    (void)move;
    PARLEY_CHECK(check_room());
    return assigned(*known, task.epoch + 1);
  }

  Moved answer() {  // an acknowledgment, of whatever message
    const std::string_view id = unquoted(field(command_.envelope, "message"));
    const auto message = workspace_.ids.find(id_key_of(id));
    const auto known = message ? workspace_.tasks.of_assignment(*message) : std::nullopt;
    if (!known) return std::nullopt;
    const Task& task = workspace_.tasks.at(*known);
    if (*message != task.assignment()) return std::unexpected(stale_order(command_, workspace_, task));
    facts_.accepted = field(command_.envelope, "accepted") == "true";
    return moved(*known, task, task.assigner);
  }

  Moved report(bool must_arrive) {
    const std::string& id = command_.envelope.task;
    const auto known = workspace_.tasks.find(id);
    if (!known) return std::unexpected(task_unknown(command_, workspace_, id));
    const Task& task = workspace_.tasks.at(*known);
    return moved(*known, task, must_arrive ? task.assigner : AgentNumber{});
  }

  Moved abort() {
    if (unquoted(field(command_.envelope, "scope")) != "task") return std::nullopt;
    const std::string& id = command_.envelope.task;
    const auto known = workspace_.tasks.find(id);
    if (!known) return std::unexpected(task_unknown(command_, workspace_, id));
    const Task& task = workspace_.tasks.at(*known);
    return moved(*known, task, task.assignee);
  }

 private:
  base::Result<> check_room() const {
    if (workspace_.tasks.open() < workspace_.settings.tasks) return {};
    return base::fail(base::ErrorCode::TASKS_FULL,
                      "'" + workspace_.name + "' has " + std::to_string(workspace_.tasks.open()) +
                          " open tasks; the limit is " + std::to_string(workspace_.settings.tasks),
                      "task");
  }

  base::Result<const Move*> move_of(const Task& task) const {
    const Move* const move = move_on(command_.envelope.kind, task.state, facts_);
    const bool assigner_removed = workspace_.registry.agent(task.assigner).removed;
    if (!move || !is_party(move->by, task, command_.sender, assigner_removed))
      return std::unexpected(no_move(command_, workspace_, task));
    return move;
  }

  Moved assigned(Offset offset, std::uint32_t epoch) const {
    const TaskWatch watch{.assigned_at = context_.now,
                          .began_at = {},
                          .heard_at = context_.now,
                          .deadline = instant_in(command_.envelope, "deadline").value_or(Instant{}),
                          .timeout = timeout_in(command_.envelope, policy_.timeout)};
    event::TaskMoved moved;
    moved.set_task(offset.value);
    moved.set_epoch(epoch);
    moved.set_assigner(command_.sender.value);
    moved.set_assignee(to_.front().value);
    if (watch.deadline != Instant{}) moved.set_deadline(base::unix_us(watch.deadline));
    moved.set_timeout(watch.timeout.count());
    come_to(TaskState::assigned, watch, moved);
    return moved;
  }

  // `must_reach`: 0 for nobody.
  Moved moved(Offset offset, const Task& known, AgentNumber must_reach) const {
    PARLEY_TRY(const Move* const move, move_of(known));
    const bool reaches = must_reach == AgentNumber{} || workspace_.registry.agent(must_reach).removed ||
                         std::binary_search(to_.begin(), to_.end(), must_reach);
    if (!reaches) return std::unexpected(goes_past(command_, workspace_, known, must_reach));
    TaskWatch watch = known.watch;
    watch.heard_at = context_.now;
    if (watch.began_at == Instant{}) watch.began_at = context_.now;
    event::TaskMoved moved;
    moved.set_task(offset.value);
    moved.set_epoch(known.epoch);
    come_to(move->to.value_or(known.state), watch, moved);
    return moved;
  }

  void come_to(TaskState state, const TaskWatch& watch, event::TaskMoved& moved) const {
    moved.set_state(static_cast<std::uint32_t>(state));
    moved.set_late(watch.late);
    if (const Instant due = due_of(state, watch, policy_); due != Instant{}) moved.set_due(base::unix_us(due));
  }

  const AcceptMessage& command_;
  const Workspace& workspace_;
  const std::vector<AgentNumber>& to_;
  const Context& context_;
  const profile::TaskPolicy policy_;
  TaskFacts facts_;
};

void look_at(State& state, WorkspaceNumber number, Offset offset, Task& task, Instant due) {
  if (task.due == due) return;
  if (task.due != Instant{}) state.timers.erase(timer_of(number, offset, task.due));
  task.due = due;
  if (due != Instant{}) state.timers.insert(timer_of(number, offset, due));
}

void assign(Tasks& tasks, Offset offset, Offset message, const event::TaskMoved& event, Instant at) {
  Task& task = tasks.at(offset);
  tasks.assign(offset, message, AgentNumber(event.assignee()));
  task.assigner = AgentNumber(event.assigner());
  task.watch = {.assigned_at = at,
                .began_at = {},
                .heard_at = at,
                .deadline = event.deadline() != 0 ? base::instant_of(event.deadline()) : Instant{},
                .timeout = base::Duration(event.timeout())};
}

// `by`: the event's offset.
void move(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, Offset by,
          const event::TaskMoved& event, Instant at) {
  Task& task = workspace.tasks.at(offset);
  const auto to = static_cast<TaskState>(event.state());
  if (task.state != to) task.moved_at = at;
  if (to == TaskState::active && task.watch.began_at == Instant{}) task.watch.began_at = at;
  const bool was_over = machine::task::is_over(task.state);
  task.state = to;
  task.epoch = event.epoch();
  task.watch.late = event.late();
  look_at(state, number, offset, task, event.due() != 0 ? base::instant_of(event.due()) : Instant{});
  if (!machine::task::is_over(to) || was_over) return;
  workspace.tasks.end(offset, by);
  workspace.tasks.keep(workspace.settings.tasks);
}

}  // namespace

base::Result<std::optional<event::TaskMoved>> task_move(const AcceptMessage& command, const Workspace& workspace,
                                                        const std::vector<AgentNumber>& to, const Context& context) {
  const Kind kind = command.envelope.kind;
  if (!is_about_a_task(kind) || !command.ruleset.tasks) return std::nullopt;
  Follow follow(command, workspace, to, context);
  if (kind == Kind::task_ack) return follow.answer();
  if (command.envelope.task.empty()) return std::nullopt;
  if (kind == Kind::task_assign) return follow.assign();
  if (kind == Kind::task_abort) return follow.abort();
  return follow.report(kind != Kind::task_progress);
}

void apply_to_tasks(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset,
                    const event::MessageAccepted& event, Instant at) {
  if (!event.has_task_moved()) return;
  const event::TaskMoved& moved = event.task_moved();
  const bool first = moved.task() == 0;
  const Offset of_task = first ? offset : Offset(moved.task());
  if (first) workspace.tasks.add(offset, event.task());
  if (moved.assignee() != 0) assign(workspace.tasks, of_task, offset, moved, at);
  Task& task = workspace.tasks.at(of_task);
  if (moved.assignee() != 0 || AgentNumber(event.sender()) == task.assignee) task.watch.heard_at = at;
  move(state, workspace, number, of_task, offset, moved, at);
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, Offset offset, const event::TaskMoved& event,
           Instant at) {
  move(state, workspace, number, Offset(event.task()), offset, event, at);
  const AgentNumber assignee(event.assignee());
  if (workspace.registry.agent(assignee).removed && has_left(workspace, assignee))
    state.unfinished.leaving.erase({number, assignee});
}

}  // namespace parley::engine
