// The table of spec/machines/review.json, asked for a move.
#pragma once
#include "machine/review.hpp"

namespace parley::engine {

// Of a message of this kind, to this verdict or what the limit makes of it; null where there is none from that state.
inline const machine::review::Move* review_move_on(envelope::Kind kind, machine::review::State from,
                                                   machine::review::State verdict) {
  using machine::review::Guard, machine::review::State;
  const auto holds = [verdict](Guard guard) {
    switch (guard) {
      case Guard::always:
        return true;
      case Guard::approves:
        return verdict == State::approved;
      case Guard::requests_changes:
        return verdict == State::changes_requested;
      case Guard::rejects:
        return verdict == State::rejected;
      case Guard::needs_a_human:
        return verdict == State::escalated;
      case Guard::forces:
        return verdict == State::forced;
      case Guard::gives_up:
        return verdict == State::exhausted;
    }
    return false;
  };
  for (const machine::review::Move& move : machine::review::moves)
    if (move.on == kind && (move.from & machine::review::of(from)) != 0 && holds(move.when)) return &move;
  return nullptr;
}

}  // namespace parley::engine
