// A held message goes out, as it was or as a human changed it (approvals/held.hpp). It is decided upon as if it came
// now; what was checked at its acceptance and cannot have changed is not checked again.
#pragma once
#include "engine/currentness/take_back.hpp"
#include "engine/engine.hpp"
#include "engine/messages/recipients.hpp"
#include "engine/messages/semantics.hpp"

namespace parley::engine {

struct Release {
  Recipients recipients;  // bounced: who was removed since
  Semantics semantics;
  AllDisplaced displaced;  // what has stood until now
  std::vector<base::Problem> warnings;
};

// `command`: the message as it is to go out; `changed`: its bytes, where they are others; `decided` lends memory.
// Error: EXPIRED, and what a message may be refused for that comes now.
base::Result<Release> judge_release(const State& state, Offset message, const AcceptMessage& command,
                                    std::string_view changed, const Context& context, Decided& decided);

void decide_release(Decided& decided, const State& state, Offset message, const AcceptMessage& command, Release release,
                    std::string_view changed, std::string_view by, const RulesetOf& ruleset_of, const Context& context);

}  // namespace parley::engine
