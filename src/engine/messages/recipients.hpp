// To whom a message goes: those it names, or everybody who may get it (COL-03, PIP-08, R47).
#pragma once
#include "engine/command.hpp"

namespace parley::engine {

struct Recipients {
  std::vector<AgentNumber> open;     // rising, each once
  std::vector<AgentNumber> bounced;  // of a broadcast: their mailbox is full
};

// Errors: RECIPIENT_UNKNOWN, UNTRANSLATABLE, DIRECTION, AGENT_UNAVAILABLE, MAILBOX_FULL, PAYLOAD_TOO_LARGE.
base::Result<Recipients> resolve(const AcceptMessage& command, const Workspace& workspace, Instant now);

}  // namespace parley::engine
