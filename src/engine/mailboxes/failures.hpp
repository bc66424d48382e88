// Giving a message up at a recipient: a dead letter with its history, and a word to the sender (HND-09, D7).
#pragma once
#include "engine/decided.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

struct DeliveryFacts {
  WorkspaceNumber workspace;
  AgentNumber agent;
  Offset offset;
  Instant now;
};

void decide_dead(Decided& decided, const State& state, const DeliveryFacts& delivery, std::string reason,
                 const Attempt& last);

}  // namespace parley::engine
