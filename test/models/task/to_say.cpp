// Every message of the table that an agent here might send.
#include "task/model.hpp"

namespace parley::models::task_model {

std::vector<Said> TaskModel::everything_to_say() const {
  std::vector<Said> all;
  for (const std::string& id : scope_.ids) {
    const Task* const task = find(id);
    for (const AgentNumber sender : present()) {
      for (const AgentNumber to : present())
        if (to != sender) all.push_back({Kind::task_assign, sender, id, name_of(to), 0, {}, {}});
      for (const std::string& to : who_hears(sender, task ? task->assigner : AgentNumber{})) {
        for (std::uint32_t n = 1; task && n <= task->epoch; ++n)
          for (const bool accepts : {true, false}) all.push_back({Kind::task_ack, sender, id, to, n, accepts, {}});
        for (const Kind kind : {Kind::task_progress, Kind::task_complete, Kind::task_fail})
          all.push_back({kind, sender, id, to, 0, {}, {}});
        if (scope_.reviews > 0 && task && world_.workspace().reviews.of_task(offset_of(id)))
          for (const auto verdict :
               {engine::ReviewState::approved, engine::ReviewState::changes_requested, engine::ReviewState::rejected})
            all.push_back({Kind::review_result, sender, id, to, 0, {}, verdict});
      }
      for (const std::string& to : who_hears(sender, task ? task->assignee : AgentNumber{}))
        all.push_back({Kind::task_abort, sender, id, to, 0, {}, {}});
      for (const AgentNumber to : present())
        if (scope_.reviews > 0 && to != sender)
          all.push_back({Kind::review_request, sender, id, name_of(to), 0, {}, {}});
      add_offers(id, sender, task, all);
    }
  }
  std::erase_if(all, [&](const Said& said) { return !world_.type_of(said.kind); });
  return all;
}

void TaskModel::add_offers(const std::string& id, AgentNumber sender, const Task* task, std::vector<Said>& all) const {
  if (!scope_.offers) return;
  for (const AgentNumber to : present())
    all.push_back({.kind = Kind::task_handoff, .sender = sender, .task = id, .to = name_of(to)});
  for (const std::string& to : who_hears(sender, task ? task->assignee : AgentNumber{}))
    for (const Offset offer : offers_of(id))
      for (const bool accepts : {true, false})
        for (const bool looser : {true, false})
          if (accepts || !looser)
            all.push_back({.kind = Kind::task_handoff_reply,
                           .sender = sender,
                           .task = id,
                           .to = to,
                           .accepts = accepts,
                           .offer = offer,
                           .looser = looser});
}

// Whoever must hear of it, and one other; all others where that one is not here.
std::vector<std::string> TaskModel::who_hears(AgentNumber sender, AgentNumber whom) const {
  std::vector<std::string> names;
  if (world_.present(whom)) names.push_back(name_of(whom));
  for (const AgentNumber other : present())
    if (other != whom && other != sender && (names.size() < 2 || !world_.present(whom)))
      names.push_back(name_of(other));
  if (names.empty()) names.push_back(name_of(sender));
  return names;
}

std::string TaskModel::text_of(const Said& said) {
  std::string text = std::string(envelope::name(said.kind)) + " of '" + said.task + "' by agent " +
                     std::to_string(said.sender.value) + " to '" + said.to + "'";
  if (said.verdict) text += ", " + std::string(machine::review::name(*said.verdict));
  if (said.answers > 0)
    text += std::string(*said.accepts ? ", takes" : ", declines") + " assignment " + std::to_string(said.answers);
  if (said.offer != Offset{})
    text += std::string(*said.accepts ? ", takes" : ", declines") + " offer " + std::to_string(said.offer.value) +
            (said.looser ? ", more loosely" : "");
  return text;
}

bool TaskModel::in_scope(const Said& said, const Views& before) const {
  if (said.kind == Kind::review_request) return reviews_of(said.task) < scope_.reviews;
  // Whom it is given to matters little where everybody may hand it on.
  if (scope_.offers && said.kind == Kind::task_assign && said.to != first_other(said.sender)) return false;
  const bool assigns = said.kind == Kind::task_assign || said.kind == Kind::task_handoff;
  return !assigns || before.at(said.task).epoch < scope_.epochs;
}

}  // namespace parley::models::task_model
