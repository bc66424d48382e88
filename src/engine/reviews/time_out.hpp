// A review that its reviewer gives no verdict of: its time is over, or the reviewer was removed. The task is completed
// as before, and who asked is told; nothing waits for ever.
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"

namespace parley::engine {

// `rules`: its asker's, or null where that profile is gone. `why`: a sentence's end.
void decide_review_lapsed(Decided& decided, const State& state, WorkspaceNumber workspace, Offset review,
                          const profile::Ruleset* rules, const Context& context, const std::string& why);

}  // namespace parley::engine
