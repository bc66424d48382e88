// The canonical fields of a journaled message, as its oracles read them.
#pragma once
#include <string_view>

#include "envelope/envelope.hpp"
#include "event/carried.hpp"

namespace parley::sim {

using envelope::unquoted;

// Its JSON; empty where the message has none. A view into the event.
inline std::string_view field(const event::MessageAccepted& message, std::string_view name) {
  return event::carried(message, name);
}

}  // namespace parley::sim
