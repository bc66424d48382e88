// What an accepted message means for requests: it asks, it answers, or it says that work goes on (PIP-08, MSH-03).
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"
#include "engine/mailboxes/transitions.hpp"

namespace parley::engine {

bool awaits_answer(const AcceptMessage& command);

// The request with which it says that work goes on, awaited of its sender; its asker must hear of it.
std::optional<Offset> goes_on_with(const AcceptMessage& command, const Workspace& workspace);

// Before acceptance. Error: BAD_REQUEST where the time to reply by is over, or too far.
base::Result<> check_reply_by(const AcceptMessage& command, Instant now);
// Before its answers are awaited. Error: REQUESTS_FULL.
base::Result<> check_request(const AcceptMessage& command, const Workspace& workspace);

// Writes what it means into the fact, which has its recipients. An answer counts where it reaches the asker.
void follow_requests(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                     event::MessageAccepted& event);

// The message itself is in the state.
void apply_to_requests(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&);

// It ended at the recipient: who sent it with a time to reply by knows that no reply comes from there.
void note_reply_lost(const Scene&, Offset);
// Where it is one, no answer is awaited any more.
void withdraw_request(State&, Workspace&, WorkspaceNumber, Offset);
// The asker was removed: nobody awaits answers any more.
void withdraw_requests(State&, Workspace&, WorkspaceNumber, AgentNumber asker);

}  // namespace parley::engine
