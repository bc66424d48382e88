// What a worker asks humans about its task (SUP-05): while it waits for an answer the task's times stand still, and it
// is not completed; with the task it ends.
#include <algorithm>

#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

void go_on(auto& task, base::Instant at) {
  if (task.asked_since == base::Instant{}) return;
  const base::Instant since = std::max(task.asked_since, task.assigned_at);
  const base::Instant until = task.held_by != 0 ? task.moved_at : at;  // held, they stand still all the same
  if (until > since) task.assigned_at += until - since;
  task.heard_at = at;
  task.asked_since = {};
  task.answered_at = at;
}

}  // namespace

void TaskChronicle::note_question(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                                  base::Instant at) {
  if (message.approval_timeout() == 0 || message.held() || message.sender() == 0) return;
  Workspace& workspace = workspaces_[number];
  workspace.questions[offset] = {message.sender(), message.task(), false, false};
  const auto known = workspace.by_id.find(message.task());
  if (known == workspace.by_id.end()) return;
  Task& task = tasks_.at(known->second);
  if (task.over() || task.assignee != message.sender()) return;
  task.questions.insert(offset);
  if (task.asked_since == base::Instant{}) task.asked_since = at;
  sightings_.saw(Sighting::question_asked);
}

void TaskChronicle::note_answer(std::uint32_t number, std::uint64_t offset, Answer answer, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  const auto known = workspace.questions.find(offset);
  if (known == workspace.questions.end()) return;
  const Question question = known->second;
  workspace.questions.erase(known);
  const Place place{number, offset};
  findings_.require(answer != Answer::decided || !question.vain, place,
                    "SUP-05: decided, and what was asked about is over");
  const bool withdrawn = answer == Answer::withdrawn;
  if (withdrawn && question.vain) sightings_.saw(Sighting::question_outlived);
  const auto about = std::ranges::find_if(
      tasks_, [&](const auto& one) { return one.first.first == number && one.second.questions.contains(offset); });
  if (about == tasks_.end()) return;
  findings_.require(!withdrawn || question.taken_back, place, "SUP-05: withdrawn, and the task goes on");
  Task& task = about->second;
  task.questions.erase(offset);
  if (task.questions.empty()) go_on(task, at);
}

// It completes what it has asked a human about.
bool TaskChronicle::undecided(const Workspace& workspace, const TaskWord& word) {
  return word.kind == envelope::Kind::task_complete && std::ranges::any_of(workspace.questions, [&](const auto& one) {
           return one.second.asker == word.sender && one.second.task == word.task && one.first != word.supersedes;
         });
}

// In the place of its held end: as if that had never come. On record is what that one was to take the place of
// (BEY-03).
bool TaskChronicle::takes_end_back(const Workspace& workspace, const Task& task, const TaskWord& word) {
  if (task.held_by == 0 || word.supersedes == 0) return false;
  if (word.supersedes == task.held_by) return true;
  // Who names the held end stands in the place of what that one corrects; who names this itself takes no end back.
  const auto beneath = workspace.corrections.find(task.held_by);
  return !word.was_refused && beneath != workspace.corrections.end() && word.supersedes == beneath->second;
}

void TaskChronicle::come_to(Workspace& workspace, Task& task, State to, base::Instant at) {
  task.state = to;
  if (to != State::in_review) task.in_part = to == State::partial;
  if (task.over()) drop_questions(workspace, task, at);
}

// The task is over, or another's.
void TaskChronicle::drop_questions(Workspace& workspace, Task& task, base::Instant at) {
  for (const std::uint64_t question : task.questions) workspace.questions.at(question).vain = true;
  task.questions.clear();
  go_on(task, at);
}

}  // namespace parley::sim
