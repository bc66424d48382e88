// The fields that a message's event carries, whatever the time of its journal.
#pragma once
#include <string_view>

#include "envelope/carried.hpp"
#include "event/events.pb.h"

namespace parley::event {

// `take(name, json)` of each, in order.
template <class Take>
void visit_carried(const MessageAccepted& message, Take take) {
  for (const Field& field : message.fields()) take(std::string_view(field.name()), std::string_view(field.json()));
  envelope::visit_carried(message.carried(), take);
}

// Its JSON, a view into the event; empty where the message has none.
inline std::string_view carried(const MessageAccepted& message, std::string_view name) {
  std::string_view found;
  visit_carried(message, [&](std::string_view one, std::string_view json) {
    if (one == name && found.empty()) found = json;
  });
  return found;
}

}  // namespace parley::event
