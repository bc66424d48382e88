#include "ingress/object.hpp"

#include <string>

namespace parley::ingress {

base::Result<> check_object(json::Value message) {
  if (message.is_object()) return {};
  const json::Type type = message.type();
  const std::string what = std::string(type == json::Type::null ? "" : "of type ") + std::string(json::to_text(type));
  return base::fail(base::ErrorCode::BAD_REQUEST, "The message is no JSON object: it is " + what + '.', {},
                    "Send a JSON object; `parley schema PROFILE TYPE --example` prints one.");
}

}  // namespace parley::ingress
