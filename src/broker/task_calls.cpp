// Tasks as they stand, for every member of the workspace: who works on what, and who may do what next (COL-04, BEY-02).
#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/named.hpp"
#include "base/quoted.hpp"
#include "broker/dependencies.hpp"
#include "broker/list_page.hpp"
#include "broker/named_task.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/work_calls.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/refusal.hpp"
#include "event/carried.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

void write_instant(json::Writer& writer, std::string_view name, base::Instant at) {
  if (at != base::Instant{}) writer.member(name, base::to_rfc3339(at));
}

// 000 §5.2.
void write_error(json::Writer& writer, const engine::Registry& registry, const engine::TaskError& error) {
  writer.key("error").begin_object().member("error_type",
                                            engine::task_error_names[static_cast<std::size_t>(error.type)]);
  writer.member("error_message", error.message).member("recoverable", error.recoverable);
  if (error.suggested != engine::SuggestedAction::none)
    writer.member("suggested_action", engine::suggested_action_names[static_cast<std::size_t>(error.suggested)]);
  writer.member("reported_by", error.reporter == base::AgentNumber{}
                                   ? profile::server_role
                                   : std::string_view(registry.agent(error.reporter).id));
  write_instant(writer, "at", error.at);
  writer.end_object();
}

// 002, ResourceAllocation, of a task: what it was given in all its assignments, and what was used for it (HND-12).
void write_shares(json::Writer& writer, const engine::Shares& shares) {
  writer.key("allocations").begin_array();
  for (const engine::Resource resource : engine::spendable) {
    const engine::Share& share = shares.of(resource);
    if (share == engine::Share{}) continue;
    writer.begin_object().member("resource_type", engine::resource_names[static_cast<std::size_t>(resource)]);
    if (share.allocated) write_amount(writer, "allocated", *share.allocated);
    write_amount(writer, "consumed", share.consumed);
    writer.end_object();
  }
  writer.end_array();
}

void write_task(json::Writer& writer, const engine::Workspace& workspace, const engine::Task& task,
                const engine::RulesetOf& ruleset_of) {
  const engine::Registry& registry = workspace.registry;
  const engine::Agent& assigner = registry.agent(task.assigner);
  writer.member("task_id", task.id.view()).member("state", machine::task::name(task.state));
  writer.member("epoch", task.epoch).member("profile", assigner.properties.profile);
  writer.member("assigner", assigner.id).member("assignee", registry.agent(task.assignee).id);
  writer.key("assignments").begin_array();
  for (const base::Offset offset : task.assignments) writer.unsigned_integer(offset.value);
  writer.end_array();
  write_instant(writer, "moved_at", task.moved_at);
  write_instant(writer, "heard_at", task.watch.heard_at);
  write_instant(writer, "deadline", task.watch.deadline);
  if (task.watch.timeout > base::Duration{}) writer.member("timeout", base::to_text(task.watch.timeout));
  writer.member("late", task.watch.late);
  if (task.state == engine::TaskState::postponed) write_instant(writer, "again_at", task.watch.again_at);
  if (!task.terms.scope.empty()) write_strings(writer, "scope", task.terms.scope);
  if (workspace.dependencies.find(task.id.view())) write_dependencies(writer, workspace, task.id.view());
  if (task.state == engine::TaskState::blocked)
    if (const engine::TaskDependencies* const all = workspace.dependencies.find(task.id.view()))
      writer.member("blocked_by", engine::why_blocked(workspace, all->on));
  if (!task.terms.chain.view().empty()) writer.member("chain", task.terms.chain.view());
  if (const auto& risk = task.terms.risk; risk && std::isfinite(*risk)) writer.member("risk", *risk);
  if (task.terms.flagged) writer.member("flagged", true);
  if (task.shares) write_shares(writer, *task.shares.get());
  if (task.error) write_error(writer, registry, *task.error);
  if (task.over_at != base::Offset{}) writer.member("ended_by", task.over_at.value);
  if (task.offer) writer.member("offered_to", registry.agent(task.offer->target).id);
  writer.key("legal_next").begin_object();
  if (const profile::Ruleset* const rules = ruleset_of(assigner.properties.profile); rules && rules->tasks)
    for (const base::AgentNumber agent : engine::who_may_move(workspace, task, *rules)) {
      const auto types = engine::legal_next(workspace, task, *rules, agent);
      if (types.empty()) continue;
      writer.key(registry.agent(agent).id).begin_array();
      for (const std::string& type : types) writer.string(type);
      writer.end_array();
    }
  writer.end_object();
}

// What a move of a task is called in its history: by what happened, else by the state it came to.
std::string_view word_of(const event::TaskMoved& moved) {
  switch (moved.offer().state()) {
    case event::TaskOffer::OFFERED:
      return "offered";
    case event::TaskOffer::ACCEPTED:
      return "handed_over";
    case event::TaskOffer::DECLINED:
      return "declined";
    default:
      break;
  }
  if (moved.given_again()) return "given_again";
  if (moved.extended()) return "extended";
  const auto state = static_cast<engine::TaskState>(moved.state());
  if (moved.has_offer() && state != engine::TaskState::postponed) return "offer_over";
  if (moved.has_error() && !machine::task::is_over(state) && state != engine::TaskState::postponed) return "error";
  return machine::task::name(state);
}

// 002, TaskEvent. `agent`: whose message it was; 0: the server's doing.
void write_task_event(json::Writer& writer, const engine::Workspace& workspace, base::Instant at, std::uint32_t agent,
                      std::uint64_t offset, const event::TaskMoved& moved) {
  const auto name_of = [&](std::uint32_t number) {
    return std::string_view(workspace.registry.agent(base::AgentNumber(number)).id);
  };
  writer.begin_object().member("timestamp", base::to_rfc3339(at)).member("event_type", word_of(moved));
  if (agent != 0) writer.member("agent_id", name_of(agent));
  writer.key("details").begin_object().member("offset", offset);
  writer.member("state", machine::task::name(static_cast<engine::TaskState>(moved.state())));
  writer.member("epoch", moved.epoch());
  if (agent != 0 && moved.assignee() != 0) writer.member("assignee", name_of(moved.assignee()));
  if (moved.offer().target() != 0) writer.member("target", name_of(moved.offer().target()));
  if (!moved.why().empty()) writer.member("why", moved.why());
  writer.end_object().end_object();
}

// The newest events that changed it (HND-02), read from their records.
base::Result<> write_history(json::Writer& writer, History& history, const engine::Workspace& workspace,
                             const engine::Task& task) {
  writer.key("history").begin_array();
  for (const engine::TaskNote& note : task.history) {
    PARLEY_TRY(const event::Event event, history.event(note.position));
    const bool of_message = event.has_message_accepted() || event.has_message_released();
    const event::TaskMoved& moved = of_message ? accepted_of(event).task_moved() : event.task_moved();
    write_task_event(writer, workspace, note.at, of_message ? accepted_of(event).sender() : 0, event.offset(), moved);
  }
  writer.end_array();
  return {};
}

// What its assignee said when it took the task: what it had not read (COL-06), when it expects to be done, what it asks
// for and keeps to (HND-03).
void write_taken(json::Writer& writer, const engine::Workspace& workspace, const event::Event& event) {
  const event::MessageAccepted& accepted = accepted_of(event);
  writer.key("taken").begin_object();
  writer.member("agent_id", workspace.registry.agent(base::AgentNumber(accepted.sender())).id);
  writer.member("message_id", accepted.message_id());
  for (const std::string_view name : {"estimated_completion", "requirements", "constraints"})
    if (const std::string_view json = event::carried(accepted, name); !json.empty()) writer.key(name).raw(json);
  if (accepted.warnings_size() > 0) {
    writer.key("warnings");
    write_problems(writer, accepted.warnings());
  }
  writer.end_object();
}

std::unexpected<base::Error> unknown_task(std::string_view id) {
  return base::fail(ErrorCode::NOT_FOUND, "no task " + base::quoted(id) + " is known here", "task_id");
}

base::Result<const engine::Task*> find_task(const engine::Workspace& workspace, std::string_view id) {
  if (const auto offset = workspace.tasks.find(id)) return &workspace.tasks.at(*offset);
  return unknown_task(id);
}

// Whom an agent, or who manages the workspace, speaks for.
struct Asked {
  base::WorkspaceNumber workspace;
  base::Offset task;
  base::AgentNumber by;
};

base::Result<Asked> ask(const engine::State& state, const Caller& caller, std::string_view workspace_name,
                        std::string_view task_id) {
  const Right right = caller.kind == Caller::Kind::agent ? Right::read : Right::manage;
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, right));
  const auto offset = state.workspace(number).tasks.find(task_id);
  if (!offset) return unknown_task(task_id);
  return Asked{number, *offset, caller.agent};
}

// Who may be given such a task has no order of it unless it is the assignee, also where it had one before the task was
// forgotten and begun anew at epoch 1.
bool may_be_assigned(const engine::Workspace& workspace, const engine::Task& task, base::AgentNumber number,
                     const engine::RulesetOf& ruleset_of) {
  const engine::Agent& agent = workspace.registry.agent(number);
  const std::string& profile = agent.properties.profile;
  const profile::Ruleset* const rules = ruleset_of(profile);
  if (!rules || workspace.registry.agent(task.assigner).properties.profile != profile) return false;
  const auto role = rules->role_of_agent(agent.id, agent.properties.agent_type);
  for (std::size_t i = 0; i < rules->types.size(); ++i)
    if (rules->types[i].kind == envelope::Kind::task_assign &&
        rules->may_receive(profile::TypeIndex(static_cast<std::uint16_t>(i)), role))
      return true;
  return false;
}

// All that are over, of so many; of them those that are no success.
struct Ended {
  std::size_t over = 0, failed = 0;
};

bool is_done(TaskWait::Until until, const Ended& ended, std::size_t all) {
  switch (until) {
    case TaskWait::Until::any:
      return ended.over > 0;
    case TaskWait::Until::first_failure:
      return ended.failed > 0 || ended.over == all;
    case TaskWait::Until::all:
      break;
  }
  return ended.over == all;
}

}  // namespace

base::Result<Answer> WorkCalls::tasks(const Caller& caller, std::string_view workspace_name, std::string_view state,
                                      std::string_view agent, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  return list_by_offset(
      core_.history(), workspace.tasks.all(), page,
      [&](const auto& task) {
        return (state.empty() || machine::task::name(task->state) == state) &&
               (agent.empty() || workspace.registry.agent(task->assignee).id == agent ||
                workspace.registry.agent(task->assigner).id == agent);
      },
      [&](json::Writer& writer, base::Offset, const auto& task) -> base::Result<> {
        write_task(writer.begin_object(), workspace, *task, core_.ruleset_of());
        writer.end_object();
        return {};
      });
}

base::Result<Answer> WorkCalls::task(const Caller& caller, std::string_view workspace_name, std::string_view task_id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  PARLEY_TRY(const engine::Task* const task, find_task(workspace, task_id));
  Answer answer;
  json::Writer writer(answer.json);
  write_task(writer.begin_object(), workspace, *task, core_.ruleset_of());
  if (task->taken != base::Position{}) {
    PARLEY_TRY(const event::Event event, core_.history().event(task->taken));
    write_taken(writer, workspace, event);
  }
  PARLEY_CHECK(write_history(writer, core_.history(), workspace, *task));
  writer.end_object();
  return answer;
}

base::Result<Answer> WorkCalls::check_task(const Caller& caller, std::string_view workspace_name,
                                           std::string_view task_id, std::uint64_t epoch) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  PARLEY_TRY(const engine::Task* const task, find_task(core_.state().workspace(number), task_id));
  if (epoch > task->epoch)
    return base::fail(ErrorCode::BAD_REQUEST,
                      "task " + base::quoted(task_id) + " has been assigned " + std::to_string(task->epoch) +
                          " times, there is no epoch " + std::to_string(epoch),
                      "/epoch", "Name the `task_epoch` of the frame that brought the assignment.");
  const bool is_done = machine::task::is_over(task->state) || engine::is_at_rest(task->state);
  const bool is_anothers = caller.kind == Caller::Kind::agent && caller.agent != task->assignee &&
                           may_be_assigned(core_.state().workspace(number), *task, caller.agent, core_.ruleset_of());
  const std::string_view status = epoch < task->epoch ? "superseded"
                                  : is_done           ? "stale"
                                  : is_anothers       ? "superseded"
                                                      : "current";
  Answer answer;
  json::Writer(answer.json)
      .begin_object()
      .member("status", status)
      .member("epoch", task->epoch)
      .member("state", machine::task::name(task->state))
      .end_object();
  return answer;
}

base::Result<TasksAwaited> WorkCalls::await_tasks(const Caller& caller, std::string_view workspace_name,
                                                  const TaskWait& wait, bool as_it_stands) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  std::vector<const engine::Task*> tasks;
  Ended ended;
  for (const std::string& id : wait.task_ids) {
    auto task = find_task(workspace, id);
    if (!task) {
      task.error().where = "/task_ids/" + std::to_string(tasks.size());
      return std::unexpected(std::move(task).error());
    }
    tasks.push_back(*task);
    if (!machine::task::is_over((*task)->state)) continue;
    ++ended.over;
    if ((*task)->state != engine::TaskState::completed) ++ended.failed;
  }
  TasksAwaited awaited{is_done(wait.until, ended, tasks.size()), {}};
  if (!awaited.done && !as_it_stands) return awaited;
  json::Writer writer(awaited.answer.json);
  writer.begin_object().member("done", awaited.done).member("over", ended.over).member("failed", ended.failed);
  writer.key("tasks").begin_array();
  for (const engine::Task* const task : tasks) {
    write_task(writer.begin_object(), workspace, *task, core_.ruleset_of());
    writer.end_object();
  }
  writer.end_array().end_object();
  return awaited;
}

base::Result<Answer> WorkCalls::extend_task(const Caller& caller, std::string_view workspace_name,
                                            std::string_view task_id, json::Value body) {
  PARLEY_TRY(const Asked asked, ask(core_.state(), caller, workspace_name, task_id));
  const auto seconds = std::chrono::duration<double>(body.find("timeout_seconds").if_double().value_or(0));
  PARLEY_CHECK(core_.decide_for(caller, engine::ExtendTask{asked.workspace, asked.task, asked.by,
                                                           std::chrono::duration_cast<base::Duration>(seconds),
                                                           body.find("reason").if_string().value_or("")}));
  return task(caller, workspace_name, task_id);
}

base::Result<Answer> WorkCalls::report_task_error(const Caller& caller, std::string_view workspace_name,
                                                  std::string_view task_id, json::Value body) {
  PARLEY_TRY(const Asked asked, ask(core_.state(), caller, workspace_name, task_id));
  PARLEY_CHECK(check_named_task(body, task_id));
  const auto text = [&body](std::string_view name) { return body.find(name).if_string().value_or(""); };
  const auto type = base::named<engine::TaskErrorType>(engine::task_error_names, text("error_type"));
  const auto suggested = base::named<engine::SuggestedAction>(engine::suggested_action_names, text("suggested_action"));
  PARLEY_CHECK(core_.decide_for(
      caller, engine::ReportTaskError{asked.workspace, asked.task, asked.by, type.value_or(engine::TaskErrorType{}),
                                      text("error_message"), body.find("recoverable").if_bool().value_or(false),
                                      suggested.value_or(engine::SuggestedAction{})}));
  return task(caller, workspace_name, task_id);
}

base::Result<Answer> WorkCalls::abort_task(const Caller& caller, std::string_view workspace_name,
                                           std::string_view task_id, json::Value body) {
  PARLEY_TRY(const Asked asked, ask(core_.state(), caller, workspace_name, task_id));
  PARLEY_CHECK(core_.decide_for(
      caller, engine::CancelTask{asked.workspace, asked.task, asked.by, body.find("reason").if_string().value_or(""),
                                 body.find("cleanup_required").if_bool().value_or(false)}));
  return task(caller, workspace_name, task_id);
}

}  // namespace parley::broker
