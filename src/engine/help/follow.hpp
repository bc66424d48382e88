// What an accepted message means for help: it asks for it, or answers who asked (HND-04).
#pragma once
#include "engine/deciding.hpp"
#include "engine/engine.hpp"
#include "engine/mailboxes/transitions.hpp"

namespace parley::engine {

bool asks_for_help(const AcceptMessage& command);

// Before acceptance. Error: REQUESTS_FULL.
base::Result<> check_help(const AcceptMessage& command, const Workspace& workspace);

// Writes what it means into the fact, which has its recipients; then what the asker is told of it. Appends warnings.
void follow_help(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                 event::MessageAccepted& event, std::vector<base::Problem>& warnings);
void decide_help_told(const Deciding& deciding, const AcceptMessage& command, const event::MessageAccepted& event);

// The message itself is in the state.
void apply_to_help(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, const Placed&);

// Who asked was removed: nobody needs help any more.
void withdraw_help(State&, Workspace&, WorkspaceNumber, AgentNumber asker, Instant at);

// Where the message asks for help, none is needed any more: its sender took it back.
void withdraw_help_request(State&, Workspace&, WorkspaceNumber, Offset, Instant at);

// This message has expired, is a dead letter or was taken back at its recipient: where that is a helper who has not
// answered, the server looks at it at once.
void note_help_lost(const Scene& scene, Offset message);

}  // namespace parley::engine
