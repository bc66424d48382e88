// A review that its reviewer gives no verdict of: its time is over, or the reviewer was removed. The task is completed
// as before, and who asked is told; nothing waits for ever.
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// `rules`: its asker's, or null where that profile is gone. `why`: a sentence's end.
void decide_review_lapsed(const Deciding& deciding, Offset review, const profile::Ruleset* rules,
                          const std::string& why);

}  // namespace parley::engine
