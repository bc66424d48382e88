// The state as a snapshot's bytes, piece by piece: in one text they would take more memory than the state.
#pragma once
#include <functional>
#include <string_view>

#include "engine/state.hpp"

namespace parley::engine {

// `take` gets each piece once, in order, and says whether to go on; a piece is gone when it returns.
void save(const State& state, const std::function<bool(std::string_view)>& take);

}  // namespace parley::engine
