// Which names workspaces, agents and people may have (reliability G1, ruling R31).
#pragma once
#include <string_view>

#include "base/result.hpp"

namespace parley::engine {

// [a-z0-9][a-z0-9._-]{0,63}, without a dot at the end; `what` names the thing in the refusal, `where` the member.
base::Result<> check_id(std::string_view what, std::string_view id, std::string_view where);
// Also refuses the reserved names: all broadcast auto admin system server parley human *.
base::Result<> check_agent_id(std::string_view id, std::string_view where);

}  // namespace parley::engine
