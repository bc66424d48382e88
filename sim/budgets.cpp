#include "sim/budgets.hpp"

#include <algorithm>
#include <array>

#include "envelope/kind.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;

constexpr std::uint32_t budget = 3;  // as journaled

// Nobody's work: over, or judged by somebody else.
bool is_nobodys(std::uint32_t state) {
  using enum TaskChronicle::State;
  constexpr std::array states{completed, failed, aborted, in_parts, in_review, changes_requested, planning};
  return std::ranges::find(states, static_cast<TaskChronicle::State>(state)) != states.end();
}

}  // namespace

void BudgetChronicle::set(std::uint32_t workspace, const event::Settings& settings) {
  const event::BudgetLimits& limits = settings.budget_limits();
  limits_[workspace] = settings.has_budget_limits()
                           ? std::optional(Limits{limits.per_task(), limits.per_agent(), limits.total()})
                           : std::nullopt;
}

std::int64_t BudgetChronicle::given_to(std::uint32_t workspace, std::uint32_t agent) const {
  std::int64_t sum = 0;
  for (const auto& [who, one] : agents_)
    if (who.first == workspace && (agent == 0 || who.second == agent)) sum += one.consumed;
  for (const auto& [place, task] : tasks_)
    if (place.first == workspace && (agent == 0 || task.assignee == agent)) sum += task.left();
  return sum;
}

void BudgetChronicle::give(const Place& place, const event::TaskMoved& moved, bool counts) {
  const auto& limits = limits_[place.first];
  Task& task = tasks_[place];
  const std::int64_t before =
      given_to(place.first, 0);  // reports may have used more than all; nothing new is given then
  task.open = false;             // what its owner of before had of it goes with it
  task.assignee = moved.assignee();
  task.allocated = moved.has_budget() ? std::optional(task.consumed + moved.budget()) : std::nullopt;
  if (limits && counts)
    findings_.require(moved.has_budget(), place, "HND-13: a task was given no budget, and there are limits");
  task.open = true;
  if (!limits || moved.budget() == 0)
    return;  // what waits is given nothing yet (COL-10), and reports may have spent all
  findings_.require(*task.allocated <= limits->per_task, place, "HND-13: a task was given more than a task may have");
  findings_.require(given_to(place.first, moved.assignee()) <= limits->per_agent, place,
                    "HND-13: an agent was given more than it may have");
  findings_.require(given_to(place.first, 0) <= std::max(limits->total, before), place,
                    "HND-13: more was given than there is");
}

void BudgetChronicle::count(std::uint32_t workspace, std::uint64_t offset, std::uint32_t sender,
                            const event::ResourceUsed& used) {
  const Place here{workspace, offset};
  Agent& agent = agents_[{workspace, sender}];
  const std::int64_t newly = used.reported() >= agent.reported ? used.reported() - agent.reported : used.reported();
  const std::int64_t before = agent.consumed;
  agent.reported = used.reported();
  agent.consumed += newly;
  findings_.require(used.consumed() == agent.consumed, here, "HND-12: consumed is not the sum of what was reported");
  const auto& limits = limits_[workspace];
  const bool over = limits && agent.consumed > limits->per_agent && before <= limits->per_agent;
  findings_.require(used.over() == over, here, "HND-12: over its limit, or not, against the sum");
  std::int64_t charged = 0;
  for (const event::ResourceCharge& charge : used.charges()) {
    Task& task = tasks_[{workspace, charge.task()}];
    findings_.require(task.open && task.allocated && task.assignee == sender, here,
                      "HND-12: charged to another's task");
    const bool was_over = task.overdrawn();
    task.consumed += charge.amount();
    charged += charge.amount();
    findings_.require(charge.over() == (!was_over && task.overdrawn()), here,
                      "HND-12: a task is over what it was given, or not");
  }
  const bool could = std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& one) {
    return one.first.first == workspace && one.second.open && one.second.allocated && one.second.assignee == sender;
  });
  findings_.require(charged == (could ? newly : 0), here, "HND-12: charged is not what is new");
}

void BudgetChronicle::fold(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message) {
  const auto kind = static_cast<Kind>(message.kind());
  const auto& limits = limits_[workspace];
  if (limits && (kind == Kind::task_assign || kind == Kind::task_handoff || kind == Kind::help_request))
    for (const std::uint32_t to : message.recipients()) {
      if (tasks_before_.corrects_its_order(workspace, message, to)) continue;
      const bool overdrawn = std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& one) {
        return one.first.first == workspace && one.second.assignee == to && one.second.overdrawn();
      });
      findings_.require(!overdrawn && agents_[{workspace, to}].consumed < limits->per_agent, {workspace, offset},
                        "HND-12: new work to who has spent what it has");
    }
  for (const event::ResourceUsed& used : message.used())
    if (used.resource() == budget) count(workspace, offset, message.sender(), used);
}

void BudgetChronicle::follow(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message) {
  if (!message.has_task_moved()) return;
  const event::TaskMoved& moved = message.task_moved();
  const Place place{workspace, moved.task() != 0 ? moved.task() : offset};
  if (moved.assignee() != 0) give(place, moved, agents_[{workspace, message.sender()}].profile == "handoff");
  if (is_nobodys(moved.state())) tasks_[place].open = false;
}

void BudgetChronicle::fold(const event::Event& event) {
  using event::Event;
  const std::uint32_t number = event.workspace();
  switch (event.fact_case()) {
    case Event::kWorkspaceCreated:
      return set(event.workspace_created().number(), event.workspace_created().settings());
    case Event::kWorkspaceChanged:
      return set(number, event.workspace_changed().settings());
    case Event::kAgentRegistered:
      agents_[{number, event.agent_registered().number()}].profile = event.agent_registered().properties().profile();
      return;
    case Event::kMessageAccepted:
      if (event.message_accepted().sender() == 0) return;
      fold(number, event.offset(), event.message_accepted());
      return follow(number, event.offset(), event.message_accepted());
    case Event::kMessageReleased:
      return follow(number, event.message_released().message(), event.message_released().as());
    case Event::kTaskMoved:
      if (is_nobodys(event.task_moved().state())) tasks_[{number, event.task_moved().task()}].open = false;
      return;
    default:
      return;
  }
}

}  // namespace parley::sim
