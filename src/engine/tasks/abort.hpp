// What ends with a task that is aborted, by a message or by the server (COL-20): its review, and its parts. Internal to
// the folder, but for the message that aborts.
#pragma once
#include "engine/tasks/making.hpp"
#include "engine/tasks/watch.hpp"

namespace parley::engine {

// Ended by this very decision already.
bool is_ended(const TaskScene& scene);

void tell_of_abort(const TaskScene& scene, AgentNumber to, const Cancelling& why);

// Its reviewer hears of it; its parts are aborted too.
void end_with_it(const TaskScene& scene, const Cancelling& why);

}  // namespace parley::engine
