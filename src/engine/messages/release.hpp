// A held message goes out, as it was or as a human changed it (approvals/held.hpp). It is decided upon as if it came
// now; what was checked at its acceptance and cannot have changed is not checked again.
#pragma once
#include "engine/currentness/take_back.hpp"
#include "engine/deciding.hpp"
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

struct Outgoing {
  Offset message;
  const AcceptMessage& command;  // the message as it is to go out
  std::string_view changed;      // its bytes, where they are others than it came with
};

// `decided` lends memory. Error: EXPIRED, and what a message may be refused for that comes now.
base::Result<Release> judge_release(const Deciding& deciding, const Outgoing& outgoing);

// `by`: who changed it.
void decide_release(const Deciding& deciding, const Outgoing& outgoing, Release release, std::string_view by,
                    const RulesetOf& ruleset_of);

}  // namespace parley::engine
