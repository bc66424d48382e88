#include "engine/tasks/returned.hpp"

#include "engine/appliers.hpp"
#include "engine/help/watch.hpp"
#include "engine/tasks/depend.hpp"
#include "engine/tasks/follow.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t return_looks = 20'000;  // of a step
constexpr std::size_t help_weight = 20;       // in tasks: each may look at every agent (D11)

// Also what waits for others: who is offline gets nothing new.
bool goes_back(TaskState state) {
  return state == TaskState::assigned || state == TaskState::active || state == TaskState::stalled ||
         state == TaskState::postponed || is_kept_back(state);
}

// What it has not answered yet is asked of the next. Its weight.
std::size_t decide_help_returned(const Deciding& deciding, AgentNumber agent, std::size_t most,
                                 const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  std::size_t count = 0;
  for (const Offset offset : workspace.help.at_helper(agent)) {
    const Help& help = workspace.help.at(offset);
    if (help.over()) continue;
    if (count >= most) return count;
    count += help_weight;
    const Agent& asker = workspace.registry.agent(help.asker);
    decide_helper_lost(deciding, offset, ruleset_of(asker.properties.profile), true);
  }
  return count;
}

}  // namespace

bool returns_work(const profile::Ruleset& rules, HealthState from, HealthState to) {
  return rules.tasks && rules.tasks->returned && from != to && to == HealthState::offline;
}

std::size_t decide_returned(const Deciding& deciding, AgentNumber agent, Offset since, std::size_t most,
                            const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  std::size_t looks = 0;
  std::size_t count = decide_help_returned(deciding, agent, most, ruleset_of);
  for (const Offset offset : workspace.tasks.of(agent)) {
    const Task& task = workspace.tasks.at(offset);
    if (++looks > return_looks && count > 0) return count;
    if (!goes_back(task.state) || task.given_at > since) continue;
    if (count++ >= most) return most;
    const Agent& assigner = workspace.registry.agent(task.assigner);
    decide_given_up(deciding, offset, ruleset_of(assigner.properties.profile), "its assignee is offline.");
  }
  event::WorkReturned& event = *deciding.decided.add(deciding.number).mutable_work_returned();
  event.set_agent(agent.value);
  event.set_since(since.value);
  return count;
}

void begin_return(const Scene& scene) {
  const AgentNumber agent = scene.agent_number;
  const Workspace& workspace = scene.workspace;
  if (scene.agent().removed) return;
  Tasks& tasks = scene.workspace.tasks;
  for (const Offset offer : workspace.tasks.offers_to(agent)) {
    tasks.at(*tasks.of_offer(offer)).offer->target_left = true;
    note_order_lost(scene, offer);
  }
  if (workspace.tasks.of(agent).empty() && workspace.help.at_helper(agent).empty()) return;
  scene.state.unfinished.offline[{scene.number, agent}] = workspace.head;
}

void apply(State& state, WorkspaceNumber number, const event::WorkReturned& event) {
  const auto at = state.unfinished.offline.find({number, AgentNumber(event.agent())});
  if (at != state.unfinished.offline.end() && at->second == Offset(event.since())) state.unfinished.offline.erase(at);
}

}  // namespace parley::engine
