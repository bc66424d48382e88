// What an accepted message means for a task: the move it makes in spec/machines/task.json, or why it makes none
// (COL-03, COL-04, COL-17).
#pragma once
#include <memory>
#include <vector>

#include "engine/command.hpp"
#include "engine/decided.hpp"
#include "engine/engine.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {

// The task that a message names by its id.
inline std::optional<Offset> task_named(const AcceptMessage& command, const Workspace& workspace) {
  return workspace.tasks.find(command.envelope.task, command.task_key);
}

// On the heap, for what it is made of becomes part of the event as it is. Null: none.
using TaskMove = std::unique_ptr<event::TaskMoved>;

// Before acceptance, or before it is released; `to` are its recipients, rising; `decided` lends memory. None: the
// message is of no task. Error: TASK_UNKNOWN, OUT_OF_SEQUENCE, NOT_PARTY, STALE_ORDER, SCOPE_VIOLATION,
// EVIDENCE_MISSING, PAYLOAD_TOO_LARGE, TASKS_FULL.
base::Result<TaskMove> task_move(const AcceptMessage& command, const Workspace& workspace,
                                 const std::vector<AgentNumber>& to, Holding holding, const Context& context,
                                 Decided& decided, std::vector<base::Problem>& warnings);

// BEY-02: what is refused leaves the task that it names where it is: what its sender may send instead; or to begin the
// task, where there is none yet.
void name_legal_moves(base::Error& error, const AcceptMessage& command, const Workspace& workspace);

// Whether this agent, and the workspace, may have another task that is open; one that only goes on, as this one, is no
// other. Null: it is a new one. Error: TASKS_FULL.
base::Result<> check_task_room(const Workspace& workspace, AgentNumber assigner, const Task* goes_on);

// What is undelivered ends: of a task that was aborted everything, at whomever (COL-20); of one that is given anew its
// old order (BEY-03).
void decide_orders_over(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message,
                        const event::TaskMoved& moved, LaneId lane);

// Its newest order alone, where it is not read yet: nobody acts upon what is over.
void decide_order_over(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset by,
                       const Task& task);

// Its open offer, where the task ends: nobody takes over what is over.
void decide_offer_ended(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset by,
                        const Task& task);

// This message has expired or is a dead letter at its recipient: where it is the order of a task that is not taken yet,
// or an offer, the server looks at the task at once.
void note_order_lost(const Scene& scene, Offset message);

// The move of the message at this offset; it is in the state already.
void apply_to_tasks(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, const Placed&);

}  // namespace parley::engine
