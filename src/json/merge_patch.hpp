// JSON Merge Patch (RFC 7396): a document with the members of a patch in it; null takes a member away. Pure.
#pragma once
#include <string>

#include "json/value.hpp"

namespace parley::json {

std::string merge_patch(Value target, Value patch);

}  // namespace parley::json
