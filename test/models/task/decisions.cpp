// What people decide of a review that could not (R37).
#include "task/model.hpp"

namespace parley::models::task_model {

void TaskModel::add_people() {
  for (const auto& [id, role] : {std::pair{"max", "maintainer"}, {"eve", "observer"}, {"judge", "maintainer"}}) {
    (void)world_.decide(engine::RegisterPerson{team, id, {role}, {}, base::sha256("person " + std::string(id))});
    world_.apply();
  }
}

void TaskModel::decide_reviews(const Views& before, const Arrive& arrive) {
  constexpr base::PersonNumber max{1}, eve{2}, judge{3};
  using engine::Decision;
  std::vector<Offset> approvals;
  for (const auto& [offset, approval] : world_.workspace().approvals.all()) approvals.push_back(offset);
  for (const Offset offset : approvals)
    for (const base::PersonNumber person : {base::PersonNumber{}, max, eve, judge})
      for (const Decision decision : {Decision::approve, Decision::reject, Decision::modify})
        decide_review(offset, person, decision, person == max || (person == judge && !asked_by(offset, "judge")),
                      before, arrive);
}

bool TaskModel::asked_by(Offset approval, std::string_view id) const {
  return world_.agent(world_.workspace().approvals.find(approval)->asker).id == id;
}

void TaskModel::decide_review(Offset offset, base::PersonNumber person, engine::Decision decision, bool entitled,
                              const Views& before, const Arrive& arrive) {
  const std::string word(engine::decision_names[static_cast<std::size_t>(decision)]);
  const std::string step = "person " + std::to_string(person.value) + " decides a review: " + word;
  findings_.at(step);
  const engine::Approval& approval = *world_.workspace().approvals.find(offset);
  const bool escalated = approval.state == machine::approval::State::escalated;
  const bool in_time = approval.waits() && (!escalated || approval.due > world_.now);
  const auto answer = world_.decide(engine::DecideApproval{.workspace = team,
                                                           .approval = offset,
                                                           .agent = {},
                                                           .person = person,
                                                           .decision = decision,
                                                           .rationale = "so it is",
                                                           .shown = approval.shown,
                                                           .modified_action = {},
                                                           .changed = {}});
  const bool may = entitled && in_time && decision != engine::Decision::modify;
  findings_.require(answer.has_value() == may, 21, "a person decided a review, or did not, against the table");
  if (!answer) return;
  world_.apply();
  const TaskState to = decision == engine::Decision::approve ? TaskState::completed : TaskState::planning;
  for (const auto& [id, is] : views()) {
    const View& was = before.at(id);
    findings_.require(was.state == TaskState::in_review && is.state == to, 3,
                      "a decision did not bring its task where its row leads");
    findings_.require(is.epoch == was.epoch && is.assignee == was.assignee, 6, "a decision changed an assignment");
  }
  arrive(step, false);
}

}  // namespace parley::models::task_model
