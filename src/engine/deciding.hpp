// What a decision about a workspace goes by, and adds to: the state as it is, the moment, the facts so far.
#pragma once
#include "engine/command.hpp"
#include "engine/decided.hpp"

namespace parley::engine {

struct Deciding {
  Decided& decided;
  const State& state;
  WorkspaceNumber number;
  const Context& context;

  const Workspace& workspace() const { return state.workspace(number); }
};

}  // namespace parley::engine
