// Who may send which type to whom, by role (000 §6.2, COL-03, SUP-01).
#pragma once
#include "engine/command.hpp"

namespace parley::engine {

std::string_view role_of(const profile::Ruleset& ruleset, const Agent& agent);

// Errors: DIRECTION, SENDER_MISMATCH.
base::Result<> check_sender(const AcceptMessage& command, const Agent& sender);
// Error: DIRECTION.
base::Result<> check_recipient(const AcceptMessage& command, const Agent& sender, const Agent& recipient);

}  // namespace parley::engine
