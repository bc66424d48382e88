// A human decides whether a task's order is given once more: its assignee asks for one (R36), or its last attempt has
// failed (SUP-09). Internal to the folder, but for the decision.
#pragma once
#include "engine/engine.hpp"
#include "engine/tasks/making.hpp"

namespace parley::engine {

// Whether it could be asked: the profile has approvals, and not too many wait. The task waits for the answer then.
bool ask_human(const TaskScene& scene, const event::TaskError& error, const std::string& why);

// An approval was decided, or lapsed: where a task waits for it, its order is given again, or it fails.
void decide_escalated(const Deciding& deciding, Offset approval, machine::approval::State to, const std::string& why,
                      const RulesetOf& ruleset_of);

// The move that asks is in the state.
void open_approval(State&, Workspace&, WorkspaceNumber, Offset, const event::TaskMoved&, const Placed&);

}  // namespace parley::engine
