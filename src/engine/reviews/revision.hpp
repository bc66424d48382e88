// The next assignment of a task after its review (R12): a revision carries what the review wants changed, and one more
// summary of an attempt.
#pragma once
#include "engine/command.hpp"

namespace parley::engine {

// Error: REVISION_INCOMPLETE. Whatever follows no request for changes is complete.
base::Result<> check_revision(const AcceptMessage& command, const Workspace& workspace, Offset task);

// How many reviews the assignment allows (R37); 0: it states none.
std::uint32_t iterations_in(const envelope::Envelope& envelope);

}  // namespace parley::engine
