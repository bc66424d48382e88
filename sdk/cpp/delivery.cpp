// Reads by name, whatever the order of the members.
#include "sdk/cpp/delivery.hpp"

namespace parley::sdk {

Delivery read_delivery(json::Value frame) {
  Delivery delivery;
  delivery.frame = frame;
  for (const auto [key, value] : frame.members()) {
    if (key == "delivery_id")
      delivery.delivery_id = value.if_string().value_or("");
    else if (key == "offset")
      delivery.offset = value.if_uint().value_or(0);
    else if (key == "attempt")
      delivery.attempt = static_cast<std::uint32_t>(value.if_uint().value_or(1));
    else if (key == "lease_until")
      delivery.lease_until = value.if_string().value_or("");
    else if (key == "priority")
      delivery.priority = value.if_string().value_or("");
    else if (key == "message")
      delivery.message = value;
    else if (key == "notice")
      delivery.notice = value;
    else if (key == "warnings")
      delivery.warnings = value;
  }
  return delivery;
}

}  // namespace parley::sdk
