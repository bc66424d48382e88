// What is over is never delivered, and its sender learns of it (HND-10, COR-16). Whoever holds it when its time comes
// may still ack it; it ends there when it comes back.
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// The message ends at these recipients, where it is still open.
void decide_expired(const Deciding& deciding, Offset message, const std::vector<AgentNumber>& agents);

}  // namespace parley::engine
