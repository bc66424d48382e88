// The hand-off of a task (HND-02, HND-03; R21, R34): its owner offers it to another agent, and it is handed over by the
// message that accepts, at that one point of the log. Until then, and where the offer is declined or runs out, the
// owner keeps it.
#pragma once
#include "engine/command.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// Writes the offer into the move. Error: CAPABILITY_MISSING, QUALITY_MISSING, PAYLOAD_TOO_LARGE.
base::Result<> write_offer(const envelope::Envelope& envelope, const Workspace& workspace, AgentNumber target,
                           Instant now, event::TaskOffer& offer, std::vector<base::Problem>& warnings);

// Of an acceptance, against what was offered. Error: CONSTRAINTS_LOOSER.
base::Result<> check_kept(const envelope::Envelope& envelope, const TaskOffer& offer,
                          std::vector<base::Problem>& warnings);

// As it is kept in the state.
TaskOffer read_offer(Offset request, const event::TaskOffer& offer);

}  // namespace parley::engine
