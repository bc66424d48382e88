#include "engine/resources/shares_kept.hpp"

namespace parley::engine {

SharesKept::SharesKept(Workspace& workspace, const Task& task)
    : workspace_(workspace), task_(task), before_(of(task)) {}

SharesKept::~SharesKept() {
  const Holding after = of(task_);
  if (after == before_) return;
  const auto resources = [&](AgentNumber agent) -> Resources& {
    return workspace_.registry.agent(agent).resources.made();
  };
  if (before_.agent != AgentNumber{}) {
    Resources& gives_back = resources(before_.agent);
    gives_back.of(Resource::tokens).outstanding.take(before_.tokens);
    gives_back.of(Resource::budget).outstanding.take(before_.budget);
    gives_back.overdrawn -= before_.overdrawn ? 1 : 0;
  }
  if (after.agent != AgentNumber{}) {
    Resources& gets = resources(after.agent);
    gets.of(Resource::tokens).outstanding.add(after.tokens);
    gets.of(Resource::budget).outstanding.add(after.budget);
    gets.overdrawn += after.overdrawn ? 1 : 0;
  }
  workspace_.budget.outstanding.take(before_.budget);
  workspace_.budget.outstanding.add(after.budget);
}

SharesKept::Holding SharesKept::of(const Task& task) {
  if (!is_at_work(task) || !task.shares) return {};
  const Shares& shares = *task.shares.get();
  return {task.assignee, shares.tokens.left(), shares.budget.left(),
          shares.tokens.overdrawn() || shares.budget.overdrawn()};
}

}  // namespace parley::engine
