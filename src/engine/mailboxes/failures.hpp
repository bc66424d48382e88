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

// How the attempt ended that was the last: nacked, lease ended, …, and what the agent said of it.
struct LastAttempt {
  std::string_view what;
  std::string_view reason;
};

void decide_dead(Decided& decided, const State& state, const DeliveryFacts& delivery, std::string reason,
                 const LastAttempt& last);

}  // namespace parley::engine
