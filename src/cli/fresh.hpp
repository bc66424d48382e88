// A message of another day as one of now: every time in it moved by as much as its timestamp is behind, its id a new
// one. What it says of other messages stays, for nobody here knows those that take their place.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::cli {

// All other bytes stay. `entropy` makes the new id. BAD_REQUEST where no profile has the message, or it has no time.
base::Result<std::string> freshened(std::string_view bytes, std::string_view profile, base::Instant now,
                                    std::string_view entropy);

}  // namespace parley::cli
