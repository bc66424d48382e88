// Reviews (COL-11, COL-12, COL-17; R12, R13, R37), as tasks move with them.
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using envelope::Kind;
using namespace std::chrono_literals;

constexpr base::Duration verdict_time = 1h;  // 000 names none; the profile does

}  // namespace

// COL-17: a result matches a request that waits; R37: what asks for changes in the last iteration goes to a human.
TaskChronicle::Judged TaskChronicle::judge_result(const Workspace& workspace, const TaskWord& word) const {
  const auto at = workspace.reviews.find(word.review);
  if (at == workspace.reviews.end() || tasks_.at(at->second.task).id != word.task)
    return {Verdict::unknown_review, nullptr, {}};
  const Review& review = at->second;
  const Task& task = tasks_.at(review.task);
  if (word.sender != review.reviewer) return {Verdict::not_party, &review.task, {}};
  if (!review.waits || review.escalated) return {Verdict::out_of_sequence, &review.task, {}};
  if (!reaches(workspace, word, review.asker)) return {Verdict::not_party, &review.task, {}};
  if (word.verdict == "approved") return {Verdict::legal, &review.task, State::completed};
  if (word.verdict == "rejected") return {Verdict::legal, &review.task, State::planning};
  const bool last = task.reviews >= task.iterations;
  return {Verdict::legal, &review.task, last ? State::in_review : State::changes_requested};
}

void TaskChronicle::follow_review(Workspace& workspace, Task& task, const TaskWord& word, const Place& place,
                                  const event::MessageAccepted& message, base::Instant at) {
  const event::ReviewMoved& moved = message.review_moved();
  if (word.kind == Kind::task_abort) {
    if (const auto known = workspace.reviews.find(task.review); known != workspace.reviews.end())
      known->second.waits = false;
    return;
  }
  if (word.kind == Kind::review_request) {
    findings_.require(!workspace.reviews.contains(word.review), place, "R37: the id of a review was taken twice");
    findings_.require(message.recipients(0) != task.assignee, place, "BEY-05: an author reviews its own work");
    findings_.require(moved.iteration() == ++task.reviews, place, "R37: an iteration is not the number of its request");
    findings_.require(base::instant_of(moved.due()) == at + verdict_time, place,
                      "COL-11: a verdict is due at another time");
    task.review = word.review;
    workspace.reviews[word.review] = {place, word.sender, message.recipients(0),
                                      true,  false,       base::instant_of(moved.due())};
    return sightings_.saw(Sighting::review_asked);
  }
  Review& review = workspace.reviews.at(word.review);
  review.escalated = word.verdict == "changes_requested" && task.reviews >= task.iterations;
  review.waits = review.escalated;
  findings_.require((message.approval_timeout() > 0) == review.escalated, place,
                    "COL-12: a human is asked, or not, against the limit");
  for (const event::ReviewFinding& finding : moved.findings())
    findings_.require(word.verdict != "approved" || !finding.blocks() || finding.fixed_in() > 0, place,
                      "COL-11: approved in the face of a finding that stands");
  sightings_.saw(word.verdict == "approved" ? Sighting::review_approved : Sighting::review_sent_back);
}

// By the server: its time is over, its reviewer is gone, or a human has decided, or nobody has.
void TaskChronicle::end_review(const Workspace& workspace, const Place& place, State to, base::Instant at) {
  const Task& task = tasks_.at(place);
  Review& review = workspaces_[place.first].reviews.at(task.review);
  findings_.require(review.waits, place, "COL-11: a review ended twice");
  const bool lapsed = review.due <= at || review.taken_back || !is_here(workspace, review.reviewer);
  findings_.require(review.escalated || (to == (task.in_part ? State::partial : State::completed) && lapsed), place,
                    "COL-11: a review lapsed before its time");
  review.waits = false;
  sightings_.saw(review.escalated ? Sighting::review_escalated : Sighting::review_lapsed);
}

// R12: the server gives the order in the assigner's name, of what a review has sent back; it is one like others.
void TaskChronicle::revise(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                           base::Instant at) {
  const Place place{number, message.task_moved().task()};
  const auto known = tasks_.find(place);
  findings_.require(workspaces_[number].auto_revision, place,
                    "R12: the server gives an order that it was not asked for");
  findings_.require(known != tasks_.end() && known->second.state == State::changes_requested, place,
                    "R12: the server gives an order, and no review has sent it back");
  if (!findings_.clean()) return;
  Workspace& workspace = workspaces_[number];
  const std::string& assignee = workspace.agents[known->second.assignee].id;  // who has it may be registered anew
  findings_.require(message.recipients_size() == 1 && workspace.agents[message.recipients(0)].id == assignee, place,
                    "R12: the revision is another's than the work was");
  event::MessageAccepted as = message;
  as.set_sender(known->second.assigner);
  fold(number, offset, as, at);
  sightings_.saw(Sighting::review_revised);
}

}  // namespace parley::sim
