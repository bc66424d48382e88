// A task that is too large for its assignee (000 §5.3, COL-16): its assigner is asked to assign it in parts. A part is
// an assignment that answers the request (`reply_to`); the task ends when its parts do. Internal to the folder.
#pragma once
#include "engine/tasks/making.hpp"

namespace parley::engine {

// Whether it could be asked: the profile has the words and the time for it, and the assigner is there and has room.
bool ask_for_parts(const TaskScene& scene, const event::TaskError& error, const std::string& why);

// Its parts have ended, or the time in which the first was awaited.
void look_at_parts(const TaskScene& scene);

// The task that this assignment is a part of. Errors: DEPENDENCY_CYCLE, DEPENDENCIES_FULL.
base::Result<std::optional<Offset>> split_answered(const AcceptMessage& command, const Workspace& workspace);

// All of them have ended, and there is one.
bool parts_ended(const std::vector<Dependency>& on);

}  // namespace parley::engine
