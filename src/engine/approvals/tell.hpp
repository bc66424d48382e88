// Who hears of what becomes of an approval, as the table says: in the profile's words, and where it has none by a
// notice (R31).
#pragma once
#include "engine/engine.hpp"
#include "engine/messages/said.hpp"

namespace parley::engine {

// `saying` lacks what the approval itself says.
void tell(const Deciding& deciding, Offset approval, const machine::approval::Move& move, Saying saying,
          const RulesetOf& ruleset_of);

}  // namespace parley::engine
