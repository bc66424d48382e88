// Agents that would wait for each other for ever (BEY-04): each has asked the next one, and the last asks the first.
#pragma once
#include "engine/messages/recipients.hpp"

namespace parley::engine {

// Whether who is asked waits, through whomever, for who would ask it now.
bool waits_for(const Workspace& workspace, AgentNumber asked, AgentNumber asker);

// Whether the message would close such a ring, were it put to this agent.
bool closes_ring(const AcceptMessage& command, const Workspace& workspace, AgentNumber asked);

// Before a request, or one for help, is accepted. Who asks the asker of a request back, in answer to it, does not wait
// for its own answer to it: that request does not count for that one. Error: WAIT_CYCLE, which names the cycle.
base::Result<> check_deadlock(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients);

}  // namespace parley::engine
