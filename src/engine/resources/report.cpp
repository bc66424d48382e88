#include "engine/resources/report.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"
#include "engine/messages/said.hpp"
#include "engine/resources/allot.hpp"
#include "engine/resources/shares_kept.hpp"

namespace parley::engine {
namespace {

// Of one report (D11).
constexpr std::size_t looks_max = 1'000;
constexpr int charges_max = 100;
constexpr std::size_t told_max = 16;

constexpr std::array<std::string_view, resource_names.size()> fields{"tokens_used", "cpu", "memory", "cost"};

// What is used is charged to its open tasks, each up to what it was given; what is more than all of them were given, to
// the oldest.
class Charging {
 public:
  Charging(const Workspace& workspace, AgentNumber agent, Resource resource, event::ResourceUsed& used)
      : workspace_(workspace), agent_(agent), resource_(resource), used_(used) {}

  void charge(Amount rest) {
    std::size_t looks = looks_max;
    Offset oldest;
    for (const Offset offset : workspace_.tasks.of(agent_)) {
      if (rest == Amount{}) return;
      if (looks-- == 0 || used_.charges_size() == charges_max) return;  // the others may have the rest left
      const Share* const share = share_of(offset);
      if (!share) continue;
      if (oldest == Offset{}) oldest = offset;
      const Amount part = std::min(rest, share->left());
      if (part > Amount{}) add(offset, part);
      rest = less(rest, part);
    }
    if (rest == Amount{} || oldest == Offset{}) return;
    event::ResourceCharge& charge = charge_of(oldest);
    charge.set_amount(plus({charge.amount()}, rest).millionths);
    const Share& share = *share_of(oldest);
    charge.set_over(!share.overdrawn() && plus(share.consumed, {charge.amount()}) > *share.allocated);
  }

 private:
  const Share* share_of(Offset offset) const {
    const auto& shares = workspace_.tasks.at(offset).shares;
    const Share* const share = shares ? &shares.get()->of(resource_) : nullptr;
    return share && share->allocated ? share : nullptr;
  }
  event::ResourceCharge& add(Offset offset, Amount amount) {
    event::ResourceCharge& charge = *used_.add_charges();
    charge.set_task(offset.value);
    charge.set_amount(amount.millionths);
    return charge;
  }
  event::ResourceCharge& charge_of(Offset offset) {
    for (event::ResourceCharge& charge : *used_.mutable_charges())
      if (charge.task() == offset.value) return charge;
    return add(offset, {});
  }

  const Workspace& workspace_;
  const AgentNumber agent_;
  const Resource resource_;
  event::ResourceUsed& used_;
};

// Its counter went on from where it was, or began anew with it.
Amount newly_used(const Allocation& before, Amount reported) {
  return reported >= before.reported ? less(reported, before.reported) : reported;
}

std::string over_text(const Agent& agent, Amount consumed, Amount limit, Resource resource) {
  return base::quoted(agent.id) + " uses " + text_of(consumed) + " of its " + of_resource(limit, resource) +
         ": it gets nothing new.";
}

void warn(const std::string& text, std::vector<base::Problem>& warnings) {
  warnings.push_back({"", "OVER_LIMIT", text});
}

std::string task_text(const Workspace& workspace, const Task& task, Amount consumed, Resource resource) {
  return "Task " + base::quoted(task.id.view()) + " of " + base::quoted(workspace.registry.agent(task.assignee).id) +
         " has used " + text_of(consumed) + " of its " +
         of_resource(*task.shares.get()->of(resource).allocated, resource) + ".";
}

void follow_one(const AcceptMessage& command, const Workspace& workspace, Resource resource,
                event::MessageAccepted& event, std::vector<base::Problem>& warnings) {
  const auto reported = amount_of(envelope::field(command.envelope, fields[static_cast<std::size_t>(resource)]));
  if (!reported) return;
  const Agent& agent = workspace.registry.agent(command.sender);
  const Allocation before = agent.resources ? agent.resources.get()->of(resource) : Allocation{};
  const Amount newly = is_spent(resource) ? newly_used(before, *reported) : Amount{};
  const Amount consumed = is_spent(resource) ? plus(before.consumed, newly) : *reported;
  const auto limit = limit_of(workspace.settings, agent, resource);
  if (limit && consumed > *limit) warn(over_text(agent, consumed, *limit, resource), warnings);
  if (before.reported == *reported && before.consumed == consumed) return;
  event::ResourceUsed& used = *event.add_used();
  used.set_resource(static_cast<std::uint32_t>(resource));
  used.set_reported(reported->millionths);
  used.set_consumed(consumed.millionths);
  used.set_over(limit && consumed > *limit && before.consumed <= *limit);
  if (is_spent(resource)) Charging(workspace, command.sender, resource, used).charge(newly);
  for (const event::ResourceCharge& charge : used.charges()) {
    if (!charge.over()) continue;
    const Task& task = workspace.tasks.at(Offset(charge.task()));
    const Amount of_task = plus(task.shares.get()->of(resource).consumed, {charge.amount()});
    warn(task_text(workspace, task, of_task, resource), warnings);
  }
}

// Each once: who assigned what it has open.
class Assigners {
 public:
  bool is_new(AgentNumber assigner) {
    if (told_.size() == told_max || std::ranges::find(told_, assigner) != told_.end()) return false;
    told_.push_back(assigner);
    return true;
  }

 private:
  std::vector<AgentNumber> told_;
};

}  // namespace

void follow_resources(const AcceptMessage& command, const Workspace& workspace, event::MessageAccepted& event,
                      std::vector<base::Problem>& warnings) {
  if (command.envelope.kind != envelope::Kind::status_report) return;
  for (const Resource resource : all_resources) follow_one(command, workspace, resource, event, warnings);
}

void tell_of_overuse(const Deciding& deciding, const AcceptMessage& command,
                     const google::protobuf::RepeatedPtrField<event::ResourceUsed>& used) {
  const Workspace& workspace = deciding.workspace();
  const Agent& agent = workspace.registry.agent(command.sender);
  Assigners told;
  const auto tell = [&](const Task& task, std::string text) {
    Saying saying;
    saying.task = task.id.view();
    saying.from = command.sender;
    saying.text = std::move(text);
    say(deciding, task.assigner, command.ruleset, profile::Occasion::task_over_limit, saying);
  };
  for (const event::ResourceUsed& one : used) {
    const auto resource = static_cast<Resource>(one.resource());
    for (const event::ResourceCharge& charge : one.charges()) {
      if (!charge.over()) continue;
      const Task& task = workspace.tasks.at(Offset(charge.task()));
      const Amount of_task = plus(task.shares.get()->of(resource).consumed, {charge.amount()});
      told.is_new(task.assigner);
      tell(task, task_text(workspace, task, of_task, resource));
    }
    const auto limit = limit_of(workspace.settings, agent, resource);
    if (!one.over() || !limit) continue;
    std::size_t looks = looks_max;
    for (const Offset offset : workspace.tasks.of(command.sender)) {
      if (looks-- == 0) break;
      const Task& task = workspace.tasks.at(offset);
      if (told.is_new(task.assigner)) tell(task, over_text(agent, {one.consumed()}, *limit, resource));
    }
  }
}

void apply_to_resources(Workspace& workspace, const event::MessageAccepted& event) {
  for (const event::ResourceUsed& used : event.used()) {
    const auto resource = static_cast<Resource>(used.resource());
    Allocation& allocation = workspace.registry.agent(AgentNumber(event.sender())).resources.made().of(resource);
    if (resource == Resource::budget) {
      workspace.budget.consumed.take(allocation.consumed);
      workspace.budget.consumed.add({used.consumed()});
    }
    allocation.reported = {used.reported()};
    allocation.consumed = {used.consumed()};
    for (const event::ResourceCharge& charge : used.charges()) {
      Task& task = workspace.tasks.at(Offset(charge.task()));
      const SharesKept shares(workspace, task);
      Share& share = task.shares.made().of(resource);
      share.consumed = plus(share.consumed, {charge.amount()});
    }
  }
}

}  // namespace parley::engine
