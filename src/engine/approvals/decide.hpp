// A human decides (SUP-05, R22): once, about what was shown, and who is entitled.
#pragma once
#include "engine/engine.hpp"

namespace parley::engine {

// Who may decide now: the people named who are approvers or maintainers; where there is none, and after escalation,
// maintainers. Nobody of the asker's name. Rising.
std::vector<PersonNumber> entitled(const Workspace& workspace, const Approval& approval);

// Only appliers call it.
void end_approval(State& state, Workspace& workspace, WorkspaceNumber number, Offset approval,
                  machine::approval::State to, const Placed& placed);

}  // namespace parley::engine
