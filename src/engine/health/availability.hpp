// Whether an agent may be given new work: not in maintenance, in error or offline, not before it says it is available
// again, not while its breaker is open (HND-05, HND-13, SUP-07, R39). Plain messages always reach it.
#pragma once
#include <span>
#include <vector>

#include "engine/command.hpp"

namespace parley::engine {

bool takes_new_work(const Settings& settings, const Agent& agent, Instant now);

bool is_offline(const Agent& agent);
bool is_degraded(const Agent& agent);

// Of who would take over what it was offered. The offer may be what its breaker let through as an attempt (R39). Error:
// AGENT_UNAVAILABLE.
base::Result<> check_takes_over(const Settings& settings, const Agent& agent, Offset offer, Instant now);

// Whether the message gives the recipient work that it does not have yet: a correction of its order gives none
// (BEY-03).
bool is_new_work(const AcceptMessage& command, const Workspace& workspace, const Agent& recipient);

// Of new work, at one recipient. Error: AGENT_UNAVAILABLE, with who else would take it.
base::Result<> check_available(const AcceptMessage& command, const Workspace& workspace, const Agent& recipient,
                               Instant now);
// SUP-07: of new work for who is degraded, where others are well.
void warn_of_degraded(const AcceptMessage& command, const Workspace& workspace, std::span<const AgentNumber> recipients,
                      Instant now, std::vector<base::Problem>& warnings);

}  // namespace parley::engine
