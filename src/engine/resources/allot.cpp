#include "engine/resources/allot.hpp"

#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"

namespace parley::engine {
namespace {

std::unexpected<base::Error> exceeded(std::string message) {
  return base::fail(base::ErrorCode::BUDGET_EXCEEDED, std::move(message), "constraints");
}

std::string wants(Amount want, Resource resource) {
  return "the task asks for " + of_resource(want, resource);
}

// One resource of one giving.
class Allotment {
 public:
  Allotment(const Workspace& workspace, const Giving& giving, Resource resource)
      : workspace_(workspace),
        giving_(giving),
        resource_(resource),
        agent_(workspace.registry.agent(giving.to)),
        limits_(resource == Resource::budget && workspace.settings.policy.budget ? &*workspace.settings.policy.budget
                                                                                 : nullptr) {
    if (!giving.task || !giving.task->shares) return;
    const Share& share = giving.task->shares.get()->of(resource);
    used_ = share.consumed;
    if (is_at_work(*giving.task)) freed_ = share.left();
    if (giving.hands_over && share.allocated) own_ = share.left();
  }

  // None: it is given none, and nobody minds.
  base::Result<std::optional<Amount>> given() const {
    std::optional<Amount> want = resource_ == Resource::tokens ? giving_.wanted.tokens : giving_.wanted.budget;
    if (!want && own_) want = own_;
    if (!want && limits_ && giving_.wanted.of_budget) want = less(limits_->per_task, used_);
    if (!want) return std::nullopt;
    PARLEY_CHECK(check_task(*want));
    PARLEY_CHECK(check_agent(*want));
    PARLEY_CHECK(check_total(*want));
    return want;
  }

 private:
  base::Result<> check_task(Amount want) const {
    if (own_ && want > *own_)
      return exceeded(wants(want, resource_) + ", and has " + of_resource(*own_, resource_) + " left");
    if (!limits_ || plus(used_, want) <= limits_->per_task) return {};
    const std::string used = used_ > Amount{} ? ", and has used " + text_of(used_) + " before" : "";
    return exceeded(wants(want, resource_) + used + "; a task may have " + text_of(limits_->per_task));
  }

  base::Result<> check_agent(Amount want) const {
    const auto limit = limit_of(workspace_.settings, agent_, resource_);
    if (!limit) return {};
    const Amount allocated = agent_.resources ? agent_.resources.get()->of(resource_).allocated() : Amount{};
    const Amount back = giving_.task && giving_.task->assignee == giving_.to ? freed_ : Amount{};
    const Amount left = less(*limit, less(allocated, back));
    if (want <= left) return {};
    return exceeded(wants(want, resource_) + "; " + base::quoted(agent_.id) + " has " + text_of(left) + " left of " +
                    text_of(*limit));
  }

  // What is handed over, or replaced, is set aside already.
  base::Result<> check_total(Amount want) const {
    if (!limits_) return {};
    const BudgetTotal& total = workspace_.budget;
    const Amount left = less(limits_->total, plus(total.consumed.amount(), total.outstanding.amount()));
    if (less(want, freed_) <= left) return {};
    return exceeded(wants(want, resource_) + "; " + base::quoted(workspace_.name) + " has " + text_of(left) +
                    " left of " + text_of(limits_->total));
  }

  const Workspace& workspace_;
  const Giving& giving_;
  const Resource resource_;
  const Agent& agent_;
  const BudgetLimits* const limits_;
  Amount used_;
  Amount freed_;               // what its assignee has left of it, and gives back with this
  std::optional<Amount> own_;  // the same, where it goes over to the next
};

std::string spent_of(const Settings& settings, const Agent& agent, Resource resource, Instant now) {
  const Allocation& allocation = agent.resources.get()->of(resource);
  const std::string name(resource_names[static_cast<std::size_t>(resource)]);
  if (allocation.expires_at != Instant{} && allocation.expires_at <= now)
    return "what it was allocated of " + name + " expired at " + base::to_rfc3339(allocation.expires_at);
  const auto limit = limit_of(settings, agent, resource);
  if (!limit) return {};
  const bool over = is_spent(resource) ? allocation.consumed >= *limit : allocation.consumed > *limit;
  return over ? "it uses " + text_of(allocation.consumed) + " of its " + of_resource(*limit, resource) : std::string();
}

}  // namespace

WantedAmounts wanted_in(const AcceptMessage& command) {
  return {amount_of(envelope::field(command.envelope, "max_tokens")),
          amount_of(envelope::field(command.envelope, "budget")), command.ruleset.type(command.type).states_budget};
}

base::Result<> allot(const Workspace& workspace, const Giving& giving, event::TaskMoved& moved) {
  PARLEY_TRY(const auto tokens, Allotment(workspace, giving, Resource::tokens).given());
  PARLEY_TRY(const auto budget, Allotment(workspace, giving, Resource::budget).given());
  if (tokens) moved.set_tokens(tokens->millionths);
  if (budget) moved.set_budget(budget->millionths);
  return {};
}

std::optional<Amount> limit_of(const Settings& settings, const Agent& agent, Resource resource) {
  if (agent.resources && agent.resources.get()->of(resource).limit) return agent.resources.get()->of(resource).limit;
  if (resource == Resource::budget && settings.policy.budget) return settings.policy.budget->per_agent;
  return std::nullopt;
}

std::string spent_by(const Settings& settings, const Agent& agent, Instant now) {
  if (!agent.resources) return {};
  for (const Resource resource : all_resources)
    if (std::string why = spent_of(settings, agent, resource, now); !why.empty()) return why;
  const std::uint32_t overdrawn = agent.resources.get()->overdrawn;
  return overdrawn == 0 ? std::string()
                        : "it has used more than it was given for " + std::to_string(overdrawn) +
                              (overdrawn == 1 ? " task that is open" : " tasks that are open");
}

std::string of_resource(Amount amount, Resource resource) {
  return text_of(amount) + " of " + std::string(resource_names[static_cast<std::size_t>(resource)]);
}

void give(Task& task, const event::TaskMoved& event) {
  if (!event.has_tokens() && !event.has_budget() && !task.shares) return;
  Shares& shares = task.shares.made();
  const auto allocate = [](Share& share, bool given, std::int64_t millionths) {
    share.allocated = given ? std::optional(plus(share.consumed, Amount{millionths})) : std::nullopt;
  };
  allocate(shares.tokens, event.has_tokens(), event.tokens());
  allocate(shares.budget, event.has_budget(), event.budget());
}

}  // namespace parley::engine
