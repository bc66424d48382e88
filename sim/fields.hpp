// The canonical fields of a journaled message, as its oracles read them.
#pragma once
#include <string_view>

#include "envelope/envelope.hpp"
#include "event/events.pb.h"

namespace parley::sim {

using envelope::unquoted;

// Its JSON; empty where the message has none. A view into the event.
inline std::string_view field(const event::MessageAccepted& message, std::string_view name) {
  for (const event::Field& field : message.fields())
    if (field.name() == name) return field.json();
  return {};
}

}  // namespace parley::sim
