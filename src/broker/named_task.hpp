// The task of a call's path, which its body may name too.
#pragma once
#include <string_view>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::broker {

// Error: BAD_REQUEST where the body is about another.
base::Result<> check_named_task(json::Value body, std::string_view task_id);

}  // namespace parley::broker
