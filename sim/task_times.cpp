// When the server looks at a task, and that it does not look later (COL-07, COL-08, COL-10, SUP-09, HND-05).
#include <algorithm>

#include "sim/fields.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;

constexpr base::Instant never = base::Instant::max();
constexpr base::Duration patience = 2min;  // the loop turns every 20 s at most, and a full disk heals

}  // namespace

// 000 §3.2: tasks of more than 2 minutes report every 30 s; R36: an agent that goes silent. The other documents name no
// such times. A workspace may set its own.
base::Duration TaskChronicle::progress_after(const Workspace& workspace, const Task& task) {
  return workspace.progress_after.value_or(task.profile == "collab" ? 2min : 0min);
}

base::Duration TaskChronicle::progress_every(const Workspace& workspace, const Task& task) {
  return workspace.progress_every.value_or(task.profile == "collab" ? 30s : 0s);
}

base::Duration TaskChronicle::silence(const Workspace& workspace, const Task& task) {
  return workspace.silence.value_or(task.profile == "collab" ? 10min : 0min);
}

// COL-07.
base::Instant TaskChronicle::stalls_at(const Workspace& workspace, const Task& task) const {
  const base::Duration every = progress_every(workspace, task);
  if (task.state != State::active || every == base::Duration{} || task.asked_since != base::Instant{}) return never;
  return std::max(task.began_at + progress_after(workspace, task), task.heard_at + every);
}

const TaskChronicle::Agent& TaskChronicle::assignee_of(const Workspace& workspace, const Task& task) {
  static const Agent nobody;
  const auto at = workspace.agents.find(task.assignee);
  return at == workspace.agents.end() ? nobody : at->second;
}

// COL-08, SUP-09; without a look at whether its assignee is here.
base::Instant TaskChronicle::gives_up_at(const Workspace& workspace, const Task& task) const {
  base::Instant at = never;
  const bool asked = task.asked_since != base::Instant{};  // SUP-05
  if (task.timeout > base::Duration{} && !asked) at = std::min(at, task.assigned_at + task.timeout);
  if (const base::Duration most = silence(workspace, task); most > base::Duration{} && !asked)  // of whatever it speaks
    at = std::min(at, std::max(task.heard_at, assignee_of(workspace, task).spoke_at) + most);
  if (task.state == State::stalled && task.deadline != base::Instant{} && !asked) at = std::min(at, task.deadline);
  if (task.state == State::assigned && task.lost_at != base::Instant{}) at = std::min(at, task.lost_at);
  return at;
}

// What 000 §5.3 and 003 answer with another attempt.
bool TaskChronicle::times_out(const Task& task, base::Instant at) {
  if (task.asked_since != base::Instant{}) return false;
  const bool over = task.timeout > base::Duration{} && task.assigned_at + task.timeout <= at;
  return over || (task.state == State::stalled && task.deadline != base::Instant{} && task.deadline <= at);
}

int TaskChronicle::attempts(const Task& task) {
  return task.profile == "supervisor" ? 3 : task.profile == "collab" ? 1 : 0;
}

base::Instant TaskChronicle::due_of(const Workspace& workspace, const Task& task) const {
  if (task.state == State::in_parts) {
    const bool awaited = parts_of(workspace, task).empty() && task.held_parts.empty();
    const bool will_be_late =
        task.deadline != base::Instant{} && !task.told_late && task.asked_since == base::Instant{};
    return std::min(awaited ? task.again_at : never, will_be_late ? task.deadline : never);
  }
  if (task.stands_still()) return never;
  if (task.kept_back()) {  // nobody works on it: its deadline, and its order's end
    base::Instant due = task.expires_at != base::Instant{} ? task.expires_at : never;
    if (task.deadline != base::Instant{} && !task.told_late && task.asked_since == base::Instant{})
      due = std::min(due, task.deadline);
    return due;
  }
  if (task.state == State::postponed) return task.again_at;
  base::Instant due = std::min(stalls_at(workspace, task), gives_up_at(workspace, task));
  if (task.deadline != base::Instant{} && !task.told_late && task.asked_since == base::Instant{})
    due = std::min(due, task.deadline);
  if (task.offer && task.offer->due != base::Instant{}) due = std::min(due, task.offer->due);
  return due;
}

// Of the task as it is then assigned: what the order names, and what stood before, but for what only the order in whose
// place it comes has named.
std::set<std::string> TaskChronicle::depends_on(const TaskWord& word, const Task& before) {
  std::set<std::string> on = before.depends_on;
  if (word.supersedes != 0 && (word.supersedes == before.order || word.supersedes == before.ordered))
    for (const std::string& id : before.named) on.erase(id);
  on.insert(word.depends_on.begin(), word.depends_on.end());
  return on;
}

// COL-10: what is hard must be completed; what failed or was aborted blocks.
TaskChronicle::State TaskChronicle::readiness(const Workspace& workspace, const std::set<std::string>& on) const {
  State state = State::assigned;
  for (const std::string& id : on) {
    const auto at = workspace.by_id.find(id);
    const State there = at == workspace.by_id.end() ? State{} : tasks_.at(at->second).state;
    if (there == State::failed || there == State::aborted || there == State::partial) return State::blocked;
    if (there != State::completed) state = State::waiting;
  }
  return state;
}

bool TaskChronicle::stands_otherwise(const Workspace& workspace, const Task& task) const {
  return task.state == State::in_parts ? parts_ended(workspace, task)
                                       : readiness(workspace, task.depends_on) != task.state;
}

// Some task came to another state: who waits for it may have to be looked at.
void TaskChronicle::note_who_waits(std::uint32_t number, base::Instant at) {
  for (auto& [place, task] : tasks_) {
    if (place.first != number || !task.waits_for_tasks()) continue;
    const bool none = parts_of(workspaces_[number], task).empty() && task.held_parts.empty();
    if (!none)
      task.none_since = {};
    else if (task.none_since == base::Instant{})
      task.none_since = at;
    if (!stands_otherwise(workspaces_[number], task))
      task.otherwise_at = {};
    else if (task.otherwise_at == base::Instant{})
      task.otherwise_at = at;
  }
}

void TaskChronicle::check_due(const Workspace& workspace, const Place& place, std::int64_t due) {
  const Task& task = tasks_.at(place);
  const base::Instant expected = due_of(workspace, task);
  // Decided in the same turn as the loss of its order or its offer: it is looked at in the next.
  if (task.waits_for_tasks() && task.otherwise_at != base::Instant{}) return;  // looked at in the next turn
  if (due == 0 && task.answered_at == now_) return;                            // likewise: it stood still
  if (task.asked_since == now_) return;                                        // or stands still from now on
  // A word of its assignee's in this turn may be behind the decision: it is looked at sooner than it must.
  const Agent& assignee = assignee_of(workspace, task);
  if (assignee.spoke_at == now_ &&
      base::instant_of(due) == std::max(task.heard_at, assignee.spoke_before) + silence(workspace, task))
    return;
  const bool lost_now = expected == now_ && (task.lost_at == now_ || (task.offer && task.offer->due == now_));
  if (lost_now) return;
  const bool right = expected == never ? due == 0 : base::instant_of(due) == expected;
  findings_.require(right, place,
                    "COL-07: the server looks again at " + base::to_rfc3339(base::instant_of(due)) + ", due is " +
                        (expected == never ? "never" : base::to_rfc3339(expected)));
}

// It was given to its assignee before that one went offline, and is not what a human has the word upon.
bool TaskChronicle::goes_back(const Workspace& workspace, const Task& task) const {
  return !task.stands_still() && task.order < assignee_of(workspace, task).offline;
}

// Nothing that was due waits longer than a turn; while the server was down nothing could be done.
void TaskChronicle::check_nothing_overdue(base::Instant at) {
  for (const auto& [place, task] : tasks_) {
    if (!task.can_be_aborted()) continue;
    if (task.waits_for_tasks() && task.otherwise_at != base::Instant{})
      findings_.require(at - std::max(task.otherwise_at, started_at_) <= patience, place,
                        "COL-10: what it waits for has ended, and nobody looks");
    if (task.ends_since != base::Instant{})
      findings_.require(at - std::max(task.ends_since, started_at_) <= patience, place,
                        "COL-20: what it belongs to was aborted, and it goes on");
    const base::Instant due = due_of(workspaces_[place.first], task);
    findings_.require(due == never || at - std::max({due, started_at_, task.moved_at, task.none_since}) <= patience,
                      place,
                      "COL-07: a task that is due at " + (due == never ? "no time" : base::to_rfc3339(due)) +
                          " is left alone until " + base::to_rfc3339(at));
  }
  for (const auto& [place, task] : tasks_) {
    const Workspace& workspace = workspaces_[place.first];
    if (!goes_back(workspace, task) || !is_here(workspace, task.assignee)) continue;
    const Agent& assignee = workspace.agents.at(task.assignee);
    // What a human had the word upon meanwhile stays where it is.
    const bool newer = task.given > assignee.offline || task.moved_at > assignee.offline_at;
    findings_.require(newer || at - std::max(assignee.offline_at, started_at_) <= patience, place,
                      "HND-05: its assignee went offline, and it does not go back");
  }
  for (const auto& [number, workspace] : workspaces_)
    for (const auto& [id, review] : workspace.reviews)
      findings_.require(!review.waits || review.escalated || at - std::max(review.due, started_at_) <= patience,
                        review.task, "COL-11: nobody gives a verdict of review '" + id + "', and nothing ends it");
}

void TaskChronicle::check_all_ended() {
  check_nothing_overdue(now_);
  for (const auto& [place, task] : tasks_) {
    const Workspace& workspace = workspaces_[place.first];
    if (task.over() || task.state == State::in_review || task.state == State::in_parts) continue;
    findings_.require(is_here(workspace, task.assignee), place, "COL-08: a task of an agent that was removed is open");
    const bool watched = task.profile != "handoff" || workspace.silence;  // 002 names no time
    const bool awaits_a_person = task.state == State::held || task.state == State::escalated || !task.questions.empty();
    if (task.kept_back()) {
      findings_.require(readiness(workspace, task.depends_on) == task.state, place,
                        "COL-10: what it waits for has ended, and it still waits");
      continue;
    }
    findings_.require(!watched || awaits_a_person || due_of(workspace, task) != never, place,
                      "COL-08: a task is open, and nothing would end it");
  }
}

}  // namespace parley::sim
