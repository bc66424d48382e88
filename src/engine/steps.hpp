// What is too much for one turn: a session that is over gives back its leases, an agent that was removed its mail and
// tasks, in steps of bounded size (D11). Only appliers call these.
#pragma once
#include <span>

#include "engine/mailboxes/transitions.hpp"

namespace parley::engine {

// These, or all (no offsets) that the session holds, go back uncounted (R46).
void return_leases(const Scene& scene, SessionId session, std::span<const Offset> offsets, bool server_stopped);

// Whether nothing is left to do for an agent that was removed.
bool has_left(const Workspace& workspace, AgentNumber agent);

void bounce(const Scene& scene, std::span<const Offset> offsets);

// The agent was removed: what its sessions hold bounces with the rest.
void forget_sessions(State& state, WorkspaceNumber workspace, AgentNumber agent);

}  // namespace parley::engine
