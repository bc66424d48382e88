// What an accepted message means for a task: the move it makes in spec/machines/task.json, or why it makes none
// (COL-03, COL-04, COL-17).
#pragma once
#include <optional>
#include <vector>

#include "engine/command.hpp"
#include "engine/decided.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {

// Before acceptance, or before it is released; `to` are its recipients, rising. None: the message is of no task. Error:
// TASK_UNKNOWN, OUT_OF_SEQUENCE, NOT_PARTY, STALE_ORDER, SCOPE_VIOLATION, EVIDENCE_MISSING, PAYLOAD_TOO_LARGE,
// TASKS_FULL.
base::Result<std::optional<event::TaskMoved>> task_move(const AcceptMessage& command, const Workspace& workspace,
                                                        const std::vector<AgentNumber>& to, Holding holding,
                                                        const Context& context, std::vector<base::Problem>& warnings);

// What is still undelivered of a task that was aborted ends with it (COL-20).
void decide_task_over(Decided& decided, const State& state, WorkspaceNumber number, Offset message,
                      const event::TaskMoved& moved, LaneId lane);

// The move of the message at this offset; it is in the state already.
void apply_to_tasks(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, Instant at);

}  // namespace parley::engine
