// To whom a message goes: those it names, or everybody who may get it (COL-03, PIP-08, R47).
#pragma once
#include <span>

#include "engine/command.hpp"

namespace parley::engine {

struct Recipients {
  std::vector<AgentNumber> open;     // rising, each once
  std::vector<AgentNumber> bounced;  // of a broadcast: their mailbox is full
};

// Whoever may get it, also where there is no room. Errors: RECIPIENT_UNKNOWN, UNTRANSLATABLE, DIRECTION,
// AGENT_UNAVAILABLE, PAYLOAD_TOO_LARGE.
base::Result<Recipients> resolve(const AcceptMessage& command, const Workspace& workspace, Instant now);

// Whose mailboxes have room for it, once these messages have left them. Error: MAILBOX_FULL, where a recipient is
// named.
base::Result<> find_room(const AcceptMessage& command, const Workspace& workspace, std::span<const Offset> leave,
                         Recipients& recipients);

}  // namespace parley::engine
