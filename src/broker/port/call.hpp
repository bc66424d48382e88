// What every call of the broker has: who calls, a page of a list, a JSON answer. Value types.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"

namespace parley::broker {

// Who calls, as the credential says; never what a body says (D10).
struct Caller {
  enum class Kind : std::uint8_t { admin, agent, person };
  Kind kind = Kind::agent;
  std::string workspace;  // empty for the admin
  std::string id;
  base::WorkspaceNumber workspace_number;
  base::AgentNumber agent;
  base::PersonNumber person;
};

// A JSON answer with its HTTP status: 200, 201, 207.
struct Answer {
  int status = 200;
  std::string json;
};

// A page of a list: `after` is the cursor that the page before gave as `next`.
struct Page {
  std::string_view after;
  std::uint32_t limit = 100;  // at most 1,000
};

}  // namespace parley::broker
