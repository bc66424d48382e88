// One message: written, asked about, made.
#include "task/model.hpp"

namespace parley::models::task_model {

base::Result<engine::Accepted> TaskModel::decide(const Said& said) {
  envelope::Envelope envelope;
  envelope.kind = said.kind;
  envelope.message_id = "m" + std::to_string(world_.workspace().head.value);
  envelope.recipients = {said.to};
  envelope.delivery = envelope::DeliveryClass::at_most_once;
  if (said.kind == Kind::task_ack) {
    const Task& task = *find(said.task);
    const bool late = planted_ == Planted::late_ack;
    const Offset named = late ? task.assignment() : task.assignments[said.answers - 1];
    envelope.fields.push_back(
        field_of("message", '"' + std::string(world_.workspace().messages.at(named).id.view()) + '"'));
    envelope.fields.push_back(field_of("accepted", *said.accepts ? "true" : "false"));
  } else {
    envelope.task = said.task;
  }
  if (said.kind == Kind::task_assign && scope_.reviews > 0) {  // also a revision's: it carries all it may have to
    envelope.fields.push_back(field_of("attempts", "[{},{},{}]"));
    envelope.fields.push_back(field_of("required_changes", R"([{"change_id":"c"}])"));
    if (scope_.limited) envelope.fields.push_back(field_of("max_iterations", std::to_string(scope_.reviews)));
  }
  if (said.kind == Kind::review_request)
    envelope.fields.push_back(
        field_of("review", '"' + said.task + std::to_string(world_.workspace().head.value) + '"'));
  if (said.kind == Kind::review_result) {
    const engine::Workspace& workspace = world_.workspace();
    const Offset newest = workspace.reviews.of_task(offset_of(said.task))->reviews.back();
    envelope.fields.push_back(field_of("review", '"' + std::string(workspace.reviews.at(newest).id.view()) + '"'));
    envelope.fields.push_back(field_of("verdict", '"' + std::string(machine::review::name(*said.verdict)) + '"'));
    if (*said.verdict != engine::ReviewState::approved) {
      envelope.fields.push_back(field_of("findings", R"([{"finding_id":"f","severity":"major"}])"));
      envelope.fields.push_back(field_of("required_changes", R"([{"change_id":"c","related_findings":["f"]}])"));
    }
  }
  if (said.kind == Kind::task_abort) envelope.fields.push_back(field_of("scope", "\"task\""));
  if (said.kind == Kind::task_handoff) write_offer(said, envelope);
  if (said.kind == Kind::task_handoff_reply) write_answer(said, envelope);
  if (said.kind == Kind::task_assign && said.task == scope_.ids[0] && scope_.deadline > 0us)
    envelope.fields.push_back(field_of("deadline", '"' + base::to_rfc3339(world_.now + scope_.deadline) + '"'));
  return world_.accept(said.sender, std::move(envelope));
}

void TaskModel::write_offer(const Said& said, envelope::Envelope& envelope) const {
  envelope.message_id = "offer of " + said.task + " " + envelope.message_id;
  envelope.fields.push_back(field_of("budget", "10"));
  if (said.task == scope_.ids[0])
    envelope.expires_at = world_.now + scope_.offer_time;
  else
    envelope.fields.push_back(field_of("capabilities", R"(["deep"])"));
}

void TaskModel::write_answer(const Said& said, envelope::Envelope& envelope) const {
  const bool late = planted_ == Planted::late_answer && find(said.task)->offer;
  const Offset named = late ? find(said.task)->offer->request : said.offer;
  envelope.correlation = world_.workspace().messages.at(named).id.view();
  envelope.fields.push_back(field_of("accepted", *said.accepts ? "true" : "false"));
  envelope.fields.push_back(field_of("budget", said.looser ? "11" : "10"));
}

// An offer and its answer are one type to the profile; and an offer that is over stands until the server looks.
bool TaskModel::could_be_legal(const Said& said, const View& task) const {
  if (said.kind == Kind::task_handoff) return said.sender == task.assignee;
  if (said.kind != Kind::task_handoff_reply) return true;
  if (task.offer == Offset{}) return false;
  const Instant due = find(said.task)->offer->due;
  return said.sender == task.target && (due == Instant{} || due > world_.now);
}

// Whether it is accepted; what is refused leaves nothing behind. Remembers what may be said instead.
bool TaskModel::ask(const Said& said, const Views& before) {
  findings_.at(text_of(said));
  const auto answer = decide(said);
  if (!answer && smuggled(said, before)) return true;
  Chances& chances = chances_[{said.sender, said.task}];
  const std::string& type = rules_.type(*world_.type_of(said.kind)).name;
  if (answer) {
    chances.accepted.insert(type);
    return true;
  }
  findings_.require(world_.decided_nothing(), 9, "a message that was refused left something behind");
  const base::Error& error = answer.error();
  using base::ErrorCode;
  const bool of_no_task = error.code == ErrorCode::STALE_ORDER && error.where == "correlation";
  const bool by_table = error.code == ErrorCode::TASK_UNKNOWN || error.code == ErrorCode::OUT_OF_SEQUENCE ||
                        error.code == ErrorCode::NOT_PARTY || (error.code == ErrorCode::STALE_ORDER && !of_no_task);
  if (by_table) chances.told.push_back({text_of(said), {error.legal_next.begin(), error.legal_next.end()}});
  const View& task = before.at(said.task);
  const bool nobody_to_hear = (error.where == "recipients" && error.code == ErrorCode::DIRECTION) ||
                              error.code == ErrorCode::CAPABILITY_MISSING || said.to == name_of(said.sender);
  const bool no_room = error.code == ErrorCode::TASKS_FULL;
  if (!nobody_to_hear && !no_room && could_be_legal(said, task)) chances.possible.insert(type);
  if (said.answers > 0 && !answers_newest(said, task) && error.where != "recipients")
    findings_.require(error.code == ErrorCode::STALE_ORDER, 7, "what answers an older assignment is not called stale");
  if (said.offer != Offset{} && said.offer != task.offer)
    findings_.require(of_no_task, 7, "what answers an offer that is over is not called stale");
  return false;
}

// INV-10: what a refusal lists is accepted of this sender now, and nothing else is.
void TaskModel::compare_legal_next() {
  for (const auto& [whose, chances] : chances_)
    for (const auto& [step, listed] : chances.told) {
      findings_.at(step);
      for (const std::string& type : listed)
        if (chances.possible.contains(type))  // else nobody is here to hear it, or there is no room
          findings_.require(chances.accepted.contains(type), 10, "'" + type + "' is called legal and is refused");
      for (const std::string& type : chances.accepted)
        findings_.require(listed.contains(type), 10, "'" + type + "' is accepted and is not called legal");
    }
  chances_.clear();
}

void TaskModel::make(const Said& said, const Views& before) {
  if (!decide(said)) smuggle(said);
  for (engine::Fact& fact : world_.facts()) alter(fact.event);
  world_.apply();
  judge(said, before);
}

// Given again, an assignment is the same message.
bool TaskModel::answers_newest(const Said& said, const View& task) const {
  return find(said.task)->assignments[said.answers - 1] == task.assignment;
}

}  // namespace parley::models::task_model
