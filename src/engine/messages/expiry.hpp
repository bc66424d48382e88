// What is over is never delivered, and its sender learns of it (HND-10, COR-16). Whoever holds it when its time comes
// may still ack it; it ends there when it comes back.
#pragma once
#include "engine/decided.hpp"

namespace parley::engine {

// The message ends at these recipients, where it is still open.
void decide_expired(Decided& decided, const State& state, WorkspaceNumber workspace, Offset message,
                    const std::vector<AgentNumber>& agents, Instant now);

}  // namespace parley::engine
