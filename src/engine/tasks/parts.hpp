// A task that is too large for its assignee (000 §5.3, COL-16): its assigner is asked to assign it in parts. A part is
// an assignment that answers the request (`reply_to`), from when it is accepted, also where a human decides about it
// first; the task ends when its parts do. Internal to the folder, but for the message that assigns a part.
#pragma once
#include "engine/tasks/making.hpp"

namespace parley::engine {

// Whether it could be asked: the profile has the words and the time for it, and the assigner is there and has room.
bool ask_for_parts(const TaskScene& scene, const event::TaskError& error, const std::string& why);

// Its parts have ended, or the time in which the first was awaited.
void look_at_parts(const TaskScene& scene);

// The task that this assignment is a part of. Errors: DEPENDENCY_CYCLE, DEPENDENCIES_FULL.
// `released`: the message that a human lets pass; 0: none. Error, too: OUT_OF_SEQUENCE, where that task is over by
// then.
base::Result<std::optional<Offset>> split_answered(const AcceptMessage& command, const Workspace& workspace,
                                                   Offset released);

// Of a task in parts: all of them; or there is none, not yet or not any more.
bool parts_have_ended(const Workspace& workspace, const Task& whole);
bool awaits_parts(const Workspace& workspace, const Task& whole);

// 0: never. Of a task in parts; in a move: as it stands before.
Instant due_in_parts(const Workspace& workspace, const Task& whole, const TaskWatch& watch);

}  // namespace parley::engine
