// What a party asks of a task by a call: more time, what to do about an error, its end (COL-16, COL-20, SUP-09, R36,
// R38).
#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/engine.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/moves.hpp"
#include "engine/tasks/refusal.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;

constexpr std::size_t reason_bytes = 1'000;

std::string about(const Task& task) {
  return "task " + base::quoted(task.id.view());
}

enum class Who : std::uint8_t { assignee, assigner, either };

// One call about a task; its refusals say what would be legal (BEY-02).
struct Call {
  const Workspace& workspace;
  const Task& task;
  const profile::Ruleset* rules;
  AgentNumber by;

  std::unexpected<base::Error> refuse(ErrorCode code, std::string message) const {
    return std::unexpected(refusal(code, workspace, task, rules, by, std::move(message)));
  }

  // An agent asks for itself; who manages the workspace, for either.
  base::Result<> check_who(Who who) const {
    const bool managing = by == AgentNumber{};
    const bool is_assignee = by == task.assignee, is_assigner = by == task.assigner;
    if (managing || (is_assignee && who != Who::assigner) || (is_assigner && who != Who::assignee)) return {};
    const auto name_of = [this](AgentNumber agent) { return base::quoted(workspace.registry.agent(agent).id); };
    std::string may = name_of(who == Who::assigner ? task.assigner : task.assignee);
    if (who == Who::either && task.assigner != AgentNumber{}) may += " and " + name_of(task.assigner);
    return refuse(ErrorCode::NOT_PARTY, "of " + about(task) + " only " + may + " may ask this, not " + name_of(by));
  }

  base::Result<> check_goes_on(std::string_view what) const {
    if (task.state == TaskState::assigned || task.state == TaskState::active || task.state == TaskState::stalled)
      return {};
    return refuse(ErrorCode::OUT_OF_SEQUENCE,
                  about(task) + " is " + std::string(machine::task::name(task.state)) + ": " + std::string(what));
  }
};

}  // namespace

const profile::Ruleset* Engine::ruleset_of_task(WorkspaceNumber number, Offset task) const {
  const Workspace& workspace = state_.workspace(number);
  return ruleset_of_(workspace.registry.agent(workspace.tasks.at(task).assigner).properties.profile);
}

base::Result<> Engine::decide(const ExtendTask& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Task& task = workspace.tasks.at(command.task);
  const Call asking{workspace, task, ruleset_of_task(command.workspace, command.task), command.by};
  PARLEY_CHECK(asking.check_who(Who::either));
  PARLEY_CHECK(asking.check_goes_on("there is nothing to extend"));
  if (task.watch.timeout <= base::Duration{} && task.watch.deadline == Instant{})
    return asking.refuse(ErrorCode::OUT_OF_SEQUENCE,
                         about(task) + " has neither a timeout nor a deadline: there is nothing to extend");
  decide_extended({decided, state_, command.workspace, context}, command.task, asking.rules,
                  {context.now + command.time, base::excerpt(command.reason, reason_bytes), command.by});
  return {};
}

base::Result<> Engine::decide(const ReportTaskError& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Task& task = workspace.tasks.at(command.task);
  const Call asking{workspace, task, ruleset_of_task(command.workspace, command.task), command.by};
  PARLEY_CHECK(asking.check_who(Who::assignee));
  PARLEY_CHECK(asking.check_goes_on("there is no attempt at it that could fail"));
  event::TaskError error;
  error.set_type(static_cast<std::uint32_t>(command.type));
  error.set_message(base::excerpt(command.message, reason_bytes));
  error.set_recoverable(command.recoverable && command.suggested == SuggestedAction::retry);
  error.set_suggested(static_cast<std::uint32_t>(command.suggested));
  error.set_reporter(command.by.value);
  decide_attempt_failed({decided, state_, command.workspace, context}, command.task, asking.rules, error);
  return {};
}

base::Result<> Engine::decide(const CancelTask& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Task& task = workspace.tasks.at(command.task);
  const Call asking{workspace, task, ruleset_of_task(command.workspace, command.task), command.by};
  PARLEY_CHECK(asking.check_who(Who::assigner));
  if (!can_be_aborted(task.state)) PARLEY_CHECK(asking.check_goes_on("it is over already"));
  decide_cancelled({decided, state_, command.workspace, context}, command.task, asking.rules,
                   {base::excerpt(command.reason, reason_bytes), command.cleanup, command.by});
  return {};
}

}  // namespace parley::engine
