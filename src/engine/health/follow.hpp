// What an accepted message says of its sender's health (HND-05, SUP-07, R40), and what it means for breakers (HND-06,
// HND-13, R39). A plain message says nothing, and costs a look.
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"

namespace parley::engine {

// Writes it into the fact, which has its recipients.
void follow_health(const AcceptMessage& command, const Workspace& workspace, const Context& context,
                   event::MessageAccepted& event);
void apply_to_health(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, Instant at);

// Of new work, and of its sender's word that it takes some over: whose breakers let it through as an attempt (R39). A
// held one is none before it is released.
void follow_attempts(const AcceptMessage& command, const Workspace& workspace, Instant now,
                     event::MessageAccepted& event);
void apply_attempts(Workspace&, Offset message, const event::MessageAccepted&);
// The same of an order that goes out later than it came: how long nothing else gets through; 0: its breaker is closed.
Instant attempt_until(const Settings& settings, const Agent& agent, Instant now);
void apply_attempt(Workspace&, AgentNumber agent, Instant until, Offset message);

// The agent was removed.
void forget_health(State&, WorkspaceNumber, AgentNumber, Agent&);

// Moves the timer that looks at an agent's silence; 0: none from now on.
void look_later(State&, WorkspaceNumber, AgentNumber, Health&, Instant look_at);

// How long silence may last: the workspace's word, else the profile's.
base::Duration silence_allowed(const HealthSettings& settings, const profile::Heartbeat& heartbeat);

}  // namespace parley::engine
