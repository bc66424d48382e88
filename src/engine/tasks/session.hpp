// The end of a session (COL-20): one message aborts every open task of its sender's profile, in steps, since there may
// be very many.
#pragma once
#include "engine/deciding.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

// Writes into the fact that it ends the session, where it does. In R3's words the session is the workspace: an abort
// that names another is delivered, and ends nothing.
void follow_session(const AcceptMessage& command, const Workspace& workspace, event::MessageAccepted& message,
                    std::vector<base::Problem>& warnings);
void apply_to_session(State&, WorkspaceNumber, Offset, const event::MessageAccepted&);

// The next step: looks at so many tasks.
void decide_session_step(const Deciding& deciding, AgentNumber sender, std::size_t most, const RulesetOf& ruleset_of);

}  // namespace parley::engine
