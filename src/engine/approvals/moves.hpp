// The table of spec/machines/approval.json, asked for a move.
#pragma once
#include "machine/approval.hpp"

namespace parley::engine {

// The first move of a party that is legal in a state; `holds` says whether a guard does. nullptr: none is.
template <class Holds>
const machine::approval::Move* find_move(machine::approval::State from, machine::approval::Party by, Holds holds) {
  using machine::approval::Guard;
  for (const machine::approval::Move& move : machine::approval::moves)
    if (move.by == by && (move.from & of(from)) != 0 && (move.when == Guard::always || holds(move.when))) return &move;
  return nullptr;
}

// The server's own, when time is over.
inline const machine::approval::Move* overdue_move(machine::approval::State from, bool escalates) {
  using machine::approval::Guard, machine::approval::Party;
  return find_move(from, Party::server, [&](Guard guard) { return guard == Guard::escalates && escalates; });
}

}  // namespace parley::engine
