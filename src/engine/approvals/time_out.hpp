// The time of an approval is over: once it escalates to maintainers, where the profile says so, then it is rejected;
// by time it is never approved (SUP-05).
#pragma once
#include "engine/deciding.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

void decide_overdue(const Deciding& deciding, Offset approval, const RulesetOf& ruleset_of);

// Whether the profile escalates what its agents ask; where the profile is gone, once.
bool escalates(const Workspace& workspace, const Approval& approval, const RulesetOf& ruleset_of);

}  // namespace parley::engine
