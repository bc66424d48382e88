// Agents that would wait for each other for ever (BEY-04): each has asked the next one, and the last asks the first.
// Who is asked about a request of its own answers that also while it waits, and so does not close a ring.
#pragma once
#include "engine/messages/recipients.hpp"
#include "engine/requests/about.hpp"

namespace parley::engine {

struct Help;

// What a request, also one for help, of these words is asked about, as long as an answer to that is awaited of its
// sender.
About about_of(const Workspace& workspace, AgentNumber sender, std::string_view reply_to, std::string_view correlation);

// Whether who would help next waits, through whomever, for who asks for the help.
bool waits_for_asker(const Workspace& workspace, AgentNumber helper, const Help& help);

// Whether the message would close such a ring, were it put to this agent.
bool closes_ring(const AcceptMessage& command, const Workspace& workspace, AgentNumber asked);

// Before a request, or one for help, is accepted. Error: WAIT_CYCLE, which names the cycle.
base::Result<> check_deadlock(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients);

}  // namespace parley::engine
