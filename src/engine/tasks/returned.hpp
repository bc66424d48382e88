// The work of an agent that goes offline goes back to who assigned it, where its profile says so (HND-05, COL-08): what
// it was given before the event that says so, and the help that it was asked for, in steps of bounded size behind it
// (D11). What a human decides upon stays: its work is done.
#pragma once
#include "engine/deciding.hpp"
#include "engine/engine.hpp"
#include "engine/mailboxes/transitions.hpp"

namespace parley::engine {

// Whether this change of health is one that returns work. `rules`: the agent's.
bool returns_work(const profile::Ruleset& rules, HealthState from, HealthState to);

// How many tasks of the step, what it was asked for help with counting for several; fewer than `most`: the last.
std::size_t decide_returned(const Deciding& deciding, AgentNumber agent, Offset since, std::size_t most,
                            const RulesetOf& ruleset_of);

// The newest event says it. What the agent was offered meanwhile and has not answered is looked at next: it stays with
// its owner (HND-02). Only appliers call this.
void begin_return(const Scene& scene);

}  // namespace parley::engine
