// Whether a message is still to be acted upon by its recipient (BEY-03). Reads alone: what it says is so at this
// moment of the log.
#pragma once
#include <string_view>

#include "engine/command.hpp"

namespace parley::engine {

enum class Currentness : std::uint8_t { current, superseded, stale, unknown };
std::string_view name(Currentness currentness);

struct Checked {
  Currentness is = Currentness::unknown;
  Offset by;             // superseded: what stands there now
  std::string_view why;  // stale: a word
};

// `delivery.epoch` 0: of the message, however it was delivered.
Checked check_delivery(const Workspace& workspace, AgentNumber agent, const DeliveryId& delivery, Instant now);

}  // namespace parley::engine
