// A message is a JSON object. What is none is refused by what it is, not by a type that it could not state.
#pragma once
#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::ingress {

base::Result<> check_object(json::Value message);  // BAD_REQUEST

}  // namespace parley::ingress
