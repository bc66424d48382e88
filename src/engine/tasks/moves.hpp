// The table of moves as the engine asks it (spec/machines/task.json).
#pragma once
#include "engine/tasks/tasks.hpp"
#include "machine/review.hpp"
#include "profile/ruleset.hpp"

namespace parley::engine {

// Whether a human decides about a message before it counts.
enum class Hold : std::uint8_t { none, held, released };
struct Holding {
  Hold hold = Hold::none;
  Offset message;  // released: which one it is
};

// Whether what a task waits for lets its order go out (depend.hpp).
enum class Readiness : std::uint8_t { ready, waits, blocked };

// What a move's guard looks at. `accepted`: what an acknowledgment says; none where there is no message.
struct TaskFacts {
  bool needs_ack = false;
  bool offered = false;  // the task is
  std::optional<bool> accepted = {};
  Hold hold = Hold::none;                             // of the message
  std::optional<machine::review::State> review = {};  // what its review comes to, likewise
  std::optional<Readiness> readiness = {};            // of an assignment
  bool supersedes = false;                            // the message does, the task's order
  bool in_part = false;                               // a completion says that it is one
};

bool holds(machine::task::Guard guard, const TaskFacts& facts);

// Whether an agent is the party that a move asks for. The assigner's moves are anybody's once it was removed.
bool is_party(machine::task::Party party, const Task& task, AgentNumber agent, bool assigner_removed);

// Nobody acts on its order for now: it is judged, done in parts, or may be given to somebody anew (BEY-03).
constexpr bool is_at_rest(TaskState state) {
  return is_set_aside(state) || state == TaskState::escalated;
}

// Also of what its review has sent back: the work is not gone on with (COL-20).
constexpr bool can_be_aborted(TaskState state) {
  using machine::task::Step;
  return (machine::task::move_of(Step::cancel).from & machine::task::of(state)) != 0;
}

// The move that a message of this kind makes from the state, whoever sends it; null where there is none.
const machine::task::Move* move_on(envelope::Kind kind, TaskState state, const TaskFacts& facts);

}  // namespace parley::engine
