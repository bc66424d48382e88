#include "engine/tasks/moves.hpp"

namespace parley::engine {

using machine::task::Guard;
using machine::task::Party;

namespace {

// Where no message says what the review comes to, it may be anything.
bool comes_to(const TaskFacts& facts, machine::review::State state) {
  return facts.review.value_or(state) == state;
}

}  // namespace

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
    case Guard::is_ready:
      return facts.readiness.value_or(Readiness::ready) == Readiness::ready;
    case Guard::must_wait:
      return facts.readiness.value_or(Readiness::waits) == Readiness::waits;
    case Guard::cannot_begin:
      return facts.readiness.value_or(Readiness::blocked) == Readiness::blocked;
    case Guard::supersedes:
      return facts.supersedes && facts.readiness.value_or(Readiness::ready) == Readiness::ready;
    case Guard::supersedes_ahead:
      return facts.supersedes && facts.readiness.value_or(Readiness::waits) == Readiness::waits;
    case Guard::supersedes_in_vain:
      return facts.supersedes && facts.readiness.value_or(Readiness::blocked) == Readiness::blocked;
    case Guard::passes:
      return comes_to(facts, machine::review::State::approved) || comes_to(facts, machine::review::State::forced);
    case Guard::needs_changes:
      return comes_to(facts, machine::review::State::changes_requested);
    case Guard::is_rejected:
      return comes_to(facts, machine::review::State::rejected);
    case Guard::needs_a_human:
      return comes_to(facts, machine::review::State::escalated);
    case Guard::is_exhausted:
      return comes_to(facts, machine::review::State::exhausted);
    case Guard::is_in_part:
      return facts.in_part;
    case Guard::is_in_part_at_once:
      return facts.in_part && !facts.needs_ack;
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
    case Party::reviewer:
      return agent == task.reviewer && agent != AgentNumber{};
    case Party::approver:
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
