// Agents that would wait for each other for ever (BEY-04): each has asked the next one, and the last asks the first.
#pragma once
#include "engine/messages/recipients.hpp"

namespace parley::engine {

// Before a request, or one for help, is accepted. Who asks back in answer to a request does not wait for its own answer
// to it: that request does not count. Error: WAIT_CYCLE, which names the cycle.
base::Result<> check_deadlock(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients);

}  // namespace parley::engine
