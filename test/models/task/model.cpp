// What there is in the model.
#include "task/model.hpp"

#include "profile/rulesets.hpp"

namespace parley::models::task_model {

TaskModel::TaskModel(const Scope& scope, Planted planted)
    : scope_(scope), planted_(planted), rules_(*profile::built_in().find(scope.profile)), world_(rules_) {
  if (scope.step == base::Duration{}) return;
  rules_.tasks->timeout = scope.step;
  rules_.tasks->after_timeout.times = 1;
  rules_.tasks->after_timeout.waits = {scope.step};
}

TaskModel::Node TaskModel::first() {
  engine::Settings settings;
  settings.task_times = scope_.times;
  settings.tasks = scope_.tasks;
  world_.create_team(settings);
  for (const Cast& one : scope_.agents) enrol(one);
  if (scope_.limited) add_people();
  return world_.save();
}

Arrival TaskModel::first_arrival() {
  return arrival("the first state", false);
}

bool TaskModel::replays(const Node& node, const std::vector<std::string>& trails) {
  return world_.gives(trails, node);
}

void TaskModel::enrol(const Cast& one) {
  engine::AgentProperties properties;
  properties.agent_type = one.type;
  properties.capabilities = one.capabilities;
  world_.enrol(one.id, properties);
}

View TaskModel::view_of(const Task& task) const {
  return {.state = task.state,
          .epoch = task.epoch,
          .assigner = task.assigner,
          .assignee = task.assignee,
          .late = task.watch.late,
          .heard_at = task.watch.heard_at,
          .deadline = task.watch.deadline,
          .assignment = task.assignment(),
          .reviewer = task.reviewer,
          .offer = task.offer ? task.offer->request : Offset{},
          .target = task.offer ? task.offer->target : AgentNumber{}};
}

const Task* TaskModel::find(const std::string& id) const {
  const auto at = world_.workspace().tasks.find(id);
  return at ? &world_.workspace().tasks.at(*at) : nullptr;
}

Views TaskModel::views() const {
  Views all;
  for (const std::string& id : scope_.ids) {
    const Task* const task = find(id);
    all[id] = task ? view_of(*task) : View{};
  }
  return all;
}

std::vector<AgentNumber> TaskModel::present() const {
  std::vector<AgentNumber> agents;
  for (std::uint32_t i = 1; i <= world_.agents(); ++i)
    if (world_.present(AgentNumber(i))) agents.emplace_back(i);
  return agents;
}

const std::string& TaskModel::first_other(AgentNumber agent) const {
  const auto agents = present();
  return name_of(agents.front() != agent || agents.size() == 1 ? agents.front() : agents[1]);
}

const std::string& TaskModel::name_of(AgentNumber agent) const {
  return world_.agent(agent).id;
}

Offset TaskModel::offset_of(const std::string& id) const {
  return *world_.workspace().tasks.find(id);
}

std::size_t TaskModel::reviews_of(const std::string& id) const {
  const auto at = world_.workspace().tasks.find(id);
  const engine::ReviewedTask* const reviewed = at ? world_.workspace().reviews.of_task(*at) : nullptr;
  return reviewed ? reviewed->reviews.size() : 0;
}

// Open and over.
std::vector<Offset> TaskModel::offers_of(const std::string& task) const {
  std::vector<Offset> offers;
  if (!scope_.offers) return offers;
  world_.workspace().messages.visit_after(Offset{}, [&](Offset offset, const engine::Message& message) {
    if (message.id.view().starts_with("offer of " + task)) offers.push_back(offset);
    return true;
  });
  return offers;
}

AgentNumber TaskModel::receiver_of(Offset message) const {
  return world_.workspace().messages.at(message).receipts.front().agent;
}

}  // namespace parley::models::task_model
