#include "engine/tasks/moves.hpp"

namespace parley::engine {

using machine::task::Guard;
using machine::task::Party;

bool holds(Guard guard, const TaskFacts& facts) {
  switch (guard) {
    case Guard::always:
      return true;
    case Guard::takes:
      return facts.accepted.value_or(true);
    case Guard::declines:
      return !facts.accepted.value_or(false);
    case Guard::needs_no_ack:
      return !facts.needs_ack;
    case Guard::is_free:
      return !facts.offered;
    case Guard::is_held:
      return facts.hold == Hold::held;
    case Guard::is_held_at_once:
      return facts.hold == Hold::held && !facts.needs_ack;
    case Guard::is_released:
      return facts.hold == Hold::released;
  }
  return false;
}

bool is_party(Party party, const Task& task, AgentNumber agent, bool assigner_removed) {
  switch (party) {
    case Party::anybody:
      return true;
    case Party::assigner:
      return agent == task.assigner || assigner_removed;
    case Party::assignee:
      return agent == task.assignee;
    case Party::target:
      return task.offer && agent == task.offer->target;
    case Party::server:
      return false;
  }
  return false;
}

const machine::task::Move* move_on(envelope::Kind kind, TaskState state, const TaskFacts& facts) {
  for (const machine::task::Move& move : machine::task::moves)
    if (move.on == kind && (move.from & machine::task::of(state)) != 0 && holds(move.when, facts)) return &move;
  return nullptr;
}

}  // namespace parley::engine
