// The workspace's policy at the moment work is given (HND-13, R39): a task of a chain that is not enabled is refused,
// a risky one held for a human, one that is less so flagged.
#pragma once
#include <optional>

#include "engine/approvals/open.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// Of an assignment or a hand-off, whose type states a chain. Error: CHAIN_DISABLED. Also in a lenient workspace: it is
// no defect of the message.
base::Result<> check_chain(const AcceptMessage& command, const Workspace& workspace);

// An assignment that reaches the high threshold, until a human has decided.
std::optional<Asking> held_by_policy(const AcceptMessage& command, const Workspace& workspace);

// Writes chain and risk of an assignment into its move; warns its sender where it is flagged.
void write_policy(const AcceptMessage& command, const Workspace& workspace, event::TaskMoved& moved,
                  std::vector<base::Problem>& warnings);

}  // namespace parley::engine
