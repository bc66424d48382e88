// Media types as Content-Type names them.
#pragma once
#include <string>
#include <string_view>

namespace parley::gateway::http {

// Type and subtype in lower case, without parameters: "application/json".
std::string media_type(std::string_view content_type);

// Whether its `charset`, if there is one, is UTF-8: in any case, and quoted or not.
bool is_utf8(std::string_view content_type);

}  // namespace parley::gateway::http
