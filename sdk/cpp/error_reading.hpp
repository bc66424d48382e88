// The error object inside an answer or a result, parsed already. Internal to the SDK.
#pragma once
#include "base/error.hpp"
#include "json/value.hpp"

namespace parley::sdk {

base::Error read_error(json::Value error, int http_status);

}  // namespace parley::sdk
