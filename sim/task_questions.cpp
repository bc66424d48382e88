// What a worker asks humans about its task (SUP-05): while it waits for an answer the task's times stand still; with
// the task it ends.
#include <algorithm>

#include "sim/tasks.hpp"

namespace parley::sim {

void TaskChronicle::note_question(std::uint32_t number, std::uint64_t offset, const event::MessageAccepted& message,
                                  base::Instant at) {
  if (message.approval_timeout() == 0 || message.held() || message.sender() == 0) return;
  const Workspace& workspace = workspaces_[number];
  const auto known = workspace.by_id.find(message.task());
  if (known == workspace.by_id.end()) return;
  Task& task = tasks_.at(known->second);
  if (task.over() || task.assignee != message.sender()) return;
  task.questions.insert(offset);
  if (task.asked_since == base::Instant{}) task.asked_since = at;
  sightings_.saw(Sighting::question_asked);
}

void TaskChronicle::note_answer(std::uint32_t number, std::uint64_t question, bool withdrawn, base::Instant at) {
  Workspace& workspace = workspaces_[number];
  const bool in_vain = workspace.vain.erase(question) > 0;
  findings_.require(withdrawn || !in_vain, {number, question}, "SUP-05: decided, and what was asked about is over");
  const auto about = std::ranges::find_if(
      tasks_, [&](const auto& one) { return one.first.first == number && one.second.questions.contains(question); });
  if (about == tasks_.end()) return;
  Task& task = about->second;
  findings_.require(!withdrawn || in_vain || workspace.taken_back.contains(question), about->first,
                    "SUP-05: withdrawn, and the task goes on");
  if (withdrawn && in_vain) sightings_.saw(Sighting::question_outlived);
  task.questions.erase(question);
  if (!task.questions.empty() || task.asked_since == base::Instant{}) return;
  task.assigned_at += at - std::max(task.asked_since, task.assigned_at);
  task.heard_at = at;
  task.asked_since = {};
}

void TaskChronicle::come_to(Workspace& workspace, Task& task, State to, base::Instant at) {
  task.state = to;
  if (to != State::in_review) task.in_part = to == State::partial;
  if (task.over()) drop_questions(workspace, task, at);
}

// The task is over, or another's.
void TaskChronicle::drop_questions(Workspace& workspace, Task& task, base::Instant at) {
  workspace.vain.insert(task.questions.begin(), task.questions.end());
  task.questions.clear();
  if (task.asked_since == base::Instant{}) return;
  task.assigned_at += at - std::max(task.asked_since, task.assigned_at);
  task.heard_at = at;
  task.asked_since = {};
}

}  // namespace parley::sim
