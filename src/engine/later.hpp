// The engine's addition of times. Waits come from policies and callers, and may be of any length (C3).
#pragma once
#include "base/time.hpp"

namespace parley::engine {

// `wait` later, however long it is: never past what an Instant holds.
base::Instant later(base::Instant now, base::Duration wait);

}  // namespace parley::engine
