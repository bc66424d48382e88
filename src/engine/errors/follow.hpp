// What an accepted message means for errors that wait for decisions: it reports one, passes one on, or decides (PIP-11,
// R18).
#pragma once
#include <optional>

#include "engine/deciding.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

// Before acceptance; `to` are its recipients, rising. None: it is about no error. Error: ERRORS_FULL, ERROR_UNKNOWN,
// ERROR_NOT_YOURS.
base::Result<std::optional<event::ErrorMoved>> error_move(const AcceptMessage& command, const Workspace& workspace,
                                                          const std::vector<AgentNumber>& to);

// Who awaits an answer from an agent that waits from now on hears of it; `event` is the message, accepted or released.
void tell_of_waiting(const Deciding& deciding, const AcceptMessage& command, event::MessageAccepted event,
                     const RulesetOf& ruleset_of);

// The message itself is in the state.
void apply_to_errors(Workspace&, Offset, const event::MessageAccepted&, Instant at);

// The message was taken back: where it is one there is nothing to decide any more, and of those that it passed on it
// says nothing.
void withdraw_error(Workspace&, Offset);
// Its agent was removed: there is nothing to decide any more.
void withdraw_errors(Workspace&, AgentNumber);

}  // namespace parley::engine
