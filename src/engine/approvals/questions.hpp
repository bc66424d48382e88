// What humans are asked about tasks. While a worker waits for the answer to its question (SUP-05) the task's times
// stand still; what it asks ends with the task, or with its part in it. Only appliers call these.
#pragma once
#include "engine/state.hpp"

namespace parley::engine {

// No time of its assignee's runs: the task goes on by somebody else's word, or at a time that is set.
constexpr bool awaits_another(TaskState state) {
  return state == TaskState::held || state == TaskState::escalated || state == TaskState::in_review ||
         state == TaskState::postponed;
}

void note_asked(Workspace& workspace, const Approval& approval, Instant at);

// A message asks for it: it is neither what holds one, nor what a review is escalated with.
bool asks_by_itself(const Workspace& workspace, Offset offset, const Approval& approval);

// It waits no longer.
void note_answered(State& state, Workspace& workspace, WorkspaceNumber number, const Approval& approval, Instant at);

// The task is over, or is about to be another's: what its assignee asks about it is withdrawn, with the next turn; of
// an aborted one whatever a human is still asked about it (COL-20).
void end_questions(State& state, Workspace& workspace, WorkspaceNumber number, const Task& task, Instant at);

// The message is in force no longer: what was held, and was to take its place, is withdrawn with the next turn
// (BEY-03). But for the end of a task, which takes the place of nothing then.
void end_corrections(State& state, Workspace& workspace, WorkspaceNumber number, Offset message, Instant at);

}  // namespace parley::engine
