// What an accepted message means for a collaboration: it opens one, or is said in one (HND-04). What is said is what
// its participants write to each other under its id or under that of the request that it is about, and what answers
// that request.
#pragma once
#include "engine/engine.hpp"

namespace parley::engine {

// Writes what it means into the fact, which has its recipients and what it means for help.
void follow_collaborations(const Workspace& workspace, event::MessageAccepted& event);

// The message itself is in the state; what it means for help is not yet.
void apply_to_collaborations(Workspace&, Offset, const event::MessageAccepted&, const Placed&);

// The request for help has ended, or goes on with another: so does what was opened about it.
void close_collaboration(Workspace&, Offset help, std::string_view why, Instant at);

}  // namespace parley::engine
