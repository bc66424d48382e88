// Agents whose answer was awaited are removed: the request ends at them, and its asker is told at once (PIP-08,
// MSH-03).
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// One of those it waits for leaves: all of them that were removed are given up together, by the first of them, and by
// the others nothing. `rules`: the asker's, or null where its profile is gone: then the event is all there is.
void decide_given_up(const Deciding& deciding, Offset request, AgentNumber leaves, const profile::Ruleset* rules);

}  // namespace parley::engine
