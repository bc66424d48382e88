// What an accepted message means for requests: it asks, it answers, or it says that work goes on (PIP-08, MSH-03).
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"

namespace parley::engine {

// Before acceptance. Error: REQUESTS_FULL.
base::Result<> check_request(const AcceptMessage& command, const Workspace& workspace);

// Writes what it means; it reaches so many.
void follow_requests(const AcceptMessage& command, const Workspace& workspace, std::size_t reached,
                     const Context& context, event::MessageAccepted& event);

// The message itself is in the state.
void apply_to_requests(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&);

}  // namespace parley::engine
