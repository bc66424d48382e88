// Giving a message up at a recipient: a dead letter with its history, and a word to the sender (HND-09, D7); or taking
// it back.
#pragma once
#include "engine/deciding.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

// How often it is tried, as the protocol of its sender says; of what the server says, of its recipient (R31).
profile::RetryPolicy retry_of(const RulesetOf& ruleset_of, const Workspace& workspace, const Message& message);

// How the attempt ended that was the last: nacked, lease ended, …, and what the agent said of it.
struct LastAttempt {
  std::string_view what;
  std::string_view reason;
};

void decide_dead(const Deciding& deciding, AgentNumber agent, Offset message, std::string reason,
                 const LastAttempt& last);

// What the message is about is over, by the event `by`: where it is still open, it is taken back; also where it is
// held, if it is `kept_back` for others (COL-10).
void decide_taken_back(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message,
                       AgentNumber agent, Offset by, bool kept_back = false);

}  // namespace parley::engine
