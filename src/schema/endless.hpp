// Applicators work on one instance, inside one another: what would never end, or exhaust the stack, is refused when it
// is compiled. Internal to schema/.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schema/code.hpp"

namespace parley::schema {

using InPlace = std::vector<std::vector<NodeId>>;  // by node: those that are applied to the same instance

base::Result<> refuse_endless(const InPlace& in_place, const std::function<std::string(NodeId)>& pointer_to);

}  // namespace parley::schema
