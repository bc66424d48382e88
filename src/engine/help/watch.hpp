// What becomes of a request for help by itself: its deadline is over, or its helper is lost (HND-04).
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// `rules`: its asker's, or null where its profile is gone.
void decide_help_due(const Deciding& deciding, Offset help, const profile::Ruleset* rules);

// Its helper can answer no more: the next one is asked, or nobody is left. `offline`: it still has the request, and
// gives it back.
void decide_helper_lost(const Deciding& deciding, Offset help, const profile::Ruleset* rules, bool offline = false);

// Who is asked next; none: everybody was, or nobody who could be takes new work, or the request is over or gone.
std::optional<AgentNumber> next_helper(const Workspace& workspace, Offset help, const profile::Ruleset& rules,
                                       Instant now);

// Who is asked from now on; where it is an attempt at that one's breaker, until when (R39).
void write_helper(const Workspace& workspace, AgentNumber helper, Instant now, event::HelpMoved& moved);

// In the asker's words, where its profile has them (R31).
void tell_asker(const Deciding& deciding, Offset help, const machine::help::Move& move, const profile::Ruleset* rules,
                const std::string& text);

}  // namespace parley::engine
