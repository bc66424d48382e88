// What was legal of a task when it was asked: held against what the engine answered.
#include <algorithm>

#include "catalog/error_code.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using base::ErrorCode;
using envelope::Kind;

// What the documents ask of a task, by profile.
bool knows_tasks(std::string_view profile) {
  return profile == "collab" || profile == "handoff" || profile == "supervisor";
}
bool needs_acknowledgment(std::string_view profile) {
  return profile == "collab";
}  // R11

}  // namespace

std::string_view TaskChronicle::code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_task:
    case Verdict::legal:
      break;
    case Verdict::unknown:
      return "TASK_UNKNOWN";
    case Verdict::out_of_sequence:
      return "OUT_OF_SEQUENCE";
    case Verdict::not_party:
      return "NOT_PARTY";
    case Verdict::stale:
      return "STALE_ORDER";
    case Verdict::unknown_review:
      return "REVIEW_UNKNOWN";
  }
  return "";
}

bool TaskChronicle::is_here(const Workspace& workspace, std::uint32_t agent) {
  const auto at = workspace.agents.find(agent);
  return at != workspace.agents.end() && !at->second.removed;
}

// Whether it goes to that agent; to nobody in particular where that one is gone.
bool TaskChronicle::reaches(const Workspace& workspace, const TaskWord& word, std::uint32_t agent) const {
  if (!is_here(workspace, agent)) return true;
  const std::string& name = workspace.agents.at(agent).id;
  return std::find(word.to.begin(), word.to.end(), name) != word.to.end();
}

TaskChronicle::Judged TaskChronicle::judge(const Workspace& workspace, const TaskWord& word) const {
  if (word.call != TaskWord::Call::none) return judge_call(workspace, word);
  const std::string& profile = workspace.agents.at(word.sender).profile;
  if (!knows_tasks(profile)) return {};
  if (word.kind == Kind::task_ack) return judge_ack(workspace, word);
  if (word.kind == Kind::task_handoff_reply) return judge_reply(workspace, word);
  if (word.kind == Kind::review_result) return judge_result(workspace, word);
  if (word.task.empty() || word.of_session) return {};
  const auto known = workspace.by_id.find(word.task);
  const Place* const place = known != workspace.by_id.end() ? &known->second : nullptr;
  if (word.kind == Kind::task_assign) return judge_order(workspace, word, place);
  if (!place) return {Verdict::unknown, nullptr, {}};
  const Task& task = tasks_.at(*place);
  if (word.kind == Kind::review_request) {  // COL-17: of what is completed, by who assigned it, to one
    if (task.state != State::completed && task.state != State::partial) return {Verdict::out_of_sequence, place, {}};
    const bool may = may_order(workspace, word, task) && word.to.size() == 1;
    return {may ? Verdict::legal : Verdict::not_party, place, State::in_review};
  }
  const bool reports =
      word.kind == Kind::task_progress || word.kind == Kind::task_complete || word.kind == Kind::task_fail;
  const auto answered = workspace.assignments.find(word.answers);
  if (reports && answered != workspace.assignments.end() && answered->second.first == *place &&
      answered->second.second < task.order && answered->second.second > workspace.forgotten_through)
    return {Verdict::stale, place, {}};
  if (undecided(workspace, word)) return {Verdict::out_of_sequence, place, {}};
  const bool resumes = reports && takes_end_back(workspace, task, word);
  const bool waits = (task.stands_still() || task.kept_back()) && word.kind != Kind::task_abort;
  const bool ended = word.kind == Kind::task_abort ? !task.can_be_aborted() : task.over();
  if (ended || (waits && !resumes)) return {Verdict::out_of_sequence, place, {}};
  if (word.kind == Kind::task_handoff) return judge_offer(workspace, word, *place);
  if (word.kind == Kind::task_abort) {
    const bool may = may_order(workspace, word, task) && reaches(workspace, word, task.assignee);
    return {may ? Verdict::legal : Verdict::not_party, place, State::aborted};
  }
  const bool ends_it = word.kind == Kind::task_complete || word.kind == Kind::task_fail;
  if (task.state == State::postponed && !ends_it) return {Verdict::out_of_sequence, place, {}};
  if (task.state == State::assigned && needs_acknowledgment(profile)) return {Verdict::out_of_sequence, place, {}};
  if (word.sender != task.assignee) return {Verdict::not_party, place, {}};
  if (word.kind == Kind::task_progress) return {Verdict::legal, place, State::active};
  if (!reaches(workspace, word, task.assigner)) return {Verdict::not_party, place, {}};
  if (word.held) return {Verdict::legal, place, State::held};
  if (word.kind == Kind::task_fail) return {Verdict::legal, place, State::failed};
  return {Verdict::legal, place, word.in_part ? State::partial : State::completed};
}

// Who assigned it; where that one is gone, whoever does it in its place.
bool TaskChronicle::may_order(const Workspace& workspace, const TaskWord& word, const Task& task) {
  return word.sender == task.assigner || !is_here(workspace, task.assigner);
}

// Of a task's assignment; else it is one like others.
TaskChronicle::Judged TaskChronicle::judge_ack(const Workspace& workspace, const TaskWord& word) const {
  const auto answered = workspace.assignments.find(word.message);
  if (answered == workspace.assignments.end()) return {};
  const auto& [place, order] = answered->second;
  const Task& task = tasks_.at(place);
  for (const auto& [id, other] : workspace.assignments)
    if (other.first == place && other.second > order) return {Verdict::stale, &place, {}};
  if (task.state != State::assigned) return {Verdict::out_of_sequence, &place, {}};
  if (word.sender != task.assignee || !reaches(workspace, word, task.assigner)) return {Verdict::not_party, &place, {}};
  return {Verdict::legal, &place, word.accepts ? State::active : State::failed};  // R11
}

// `place`: of the task that has the id already; null: none has.
TaskChronicle::Judged TaskChronicle::judge_order(const Workspace& workspace, const TaskWord& word,
                                                 const Place* place) const {
  if (word.to.size() != 1) return {};
  if (!place) return {Verdict::legal, nullptr, readiness(workspace, depends_on(word, {}))};
  const Task& task = tasks_.at(*place);
  if (word.released != 0 && word.released < task.order) return {Verdict::stale, place, {}};  // another came meanwhile
  const State ready = readiness(workspace, depends_on(word, task));
  const bool again = task.state == State::failed || task.state == State::partial ||
                     task.state == State::changes_requested ||  // R12
                     task.state == State::planning;             // R13
  const bool works = task.state == State::assigned || task.state == State::active || task.state == State::stalled ||
                     task.state == State::postponed;
  const bool its_order = word.supersedes == task.order || word.supersedes == task.ordered;
  const bool in_place = its_order && !task.offer &&  // BEY-03
                        (task.kept_back() || (works && ready == State::assigned));
  if (!again && !in_place) return {Verdict::out_of_sequence, place, {}};  // 000 §6.3: unique
  return {may_order(workspace, word, task) ? Verdict::legal : Verdict::not_party, place, ready};
}

// R21: what is offered already is offered to nobody else; its owner offers it, to one other.
TaskChronicle::Judged TaskChronicle::judge_offer(const Workspace& workspace, const TaskWord& word,
                                                 const Place& place) const {
  const Task& task = tasks_.at(place);
  const bool waits = task.state == State::postponed;
  if (waits || (task.offer && is_here(workspace, task.offer->target))) return {Verdict::out_of_sequence, &place, {}};
  const bool to_another = word.to.size() == 1 && word.to.front() != workspace.agents.at(task.assignee).id;
  if (word.sender != task.assignee || !to_another) return {Verdict::not_party, &place, {}};
  return {Verdict::legal, &place, task.state, true};
}

// R34: under the id of an offer that is open.
TaskChronicle::Judged TaskChronicle::judge_reply(const Workspace& workspace, const TaskWord& word) const {
  const std::uint32_t number = workspace.number;
  const auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& one) {
    return one.first.first == number && one.second.offer && one.second.offer->id == word.message;
  });
  if (at == tasks_.end()) return {Verdict::stale, nullptr, {}};
  const auto& [place, task] = *at;
  if (task.offer->due != base::Instant{} && task.offer->due <= now_) return {Verdict::stale, &place, {}};
  if (word.sender != task.offer->target || !reaches(workspace, word, task.assignee))
    return {Verdict::not_party, &place, {}};
  return {Verdict::legal, &place, word.accepts ? State::active : task.state, !word.accepts};
}

void TaskChronicle::refused(std::uint32_t workspace, std::uint64_t head, TaskWord word, ErrorCode code) {
  word.was_refused = true;
  answered_[workspace].push_back({head, std::move(word), code});
}

void TaskChronicle::done(std::uint32_t workspace, std::uint64_t head, TaskWord call) {
  answered_[workspace].push_back({head, std::move(call), std::nullopt});
}

// Those that were decided on what is folded now.
void TaskChronicle::judge_answers(std::uint32_t number, Workspace& workspace) {
  auto& waiting = answered_[number];
  std::erase_if(waiting, [&](const Answered& answered) {
    if (answered.head > workspace.head) return false;
    if (answered.head < workspace.head) return true;  // told of after what came behind it was folded
    if (answered.code)
      judge_refusal(number, workspace, answered);
    else
      judge_done(number, workspace, answered);
    return true;
  });
}

void TaskChronicle::judge_refusal(std::uint32_t number, const Workspace& workspace, const Answered& refused) {
  const Judged judged = judge(workspace, refused.word);
  const std::string_view code = base::info(*refused.code).name;
  const bool of_an_offer = refused.word.kind == Kind::task_handoff_reply && judged.task;
  const auto& offer = of_an_offer ? tasks_.at(*judged.task).offer : std::nullopt;
  if (offer && offer->offset <= workspace.forgotten_through) return;         // R8: nobody knows its id any more
  if (offer && offer->due != base::Instant{} && offer->due <= now_) return;  // over by then, or not yet
  findings_.require(code_of(judged.verdict) == code, {number, refused.head},
                    "COL-04: " + std::string(envelope::name(refused.word.kind)) + " of '" + refused.word.task +
                        refused.word.message + "' was refused as " + std::string(code) + ", and is " +
                        (code_of(judged.verdict).empty() ? "legal" : std::string(code_of(judged.verdict))));
  if (judged.verdict == Verdict::stale) sightings_.saw(Sighting::stale_order_refused);
  if (judged.verdict == Verdict::out_of_sequence) sightings_.saw(Sighting::out_of_sequence_refused);
  if (judged.verdict == Verdict::not_party) sightings_.saw(Sighting::not_party_refused);
}

}  // namespace parley::sim
