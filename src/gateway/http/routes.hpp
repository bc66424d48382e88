// Which call answers which method and path, and what of the broker's port it is. The same set stands in
// spec/api/openapi.json; a test compares the two.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gateway/http/calls.hpp"

namespace parley::gateway::http {

// How a call is answered.
enum class Call : std::uint8_t {
  at_once,             // by its route
  at_once_with_token,  // likewise; nobody keeps the answer
  send_messages,
  supersede_message,
  take,
  read_log,
  await_tasks,
  stream,
  readyz,
  metrics,
  openapi,
};

// Whose token a call wants before anything else is looked at; who may do what with it, the broker knows.
enum class Access : std::uint8_t { anyone, bearer, admin };

struct Route {
  std::string_view method;
  std::string_view pattern;        // "/v1/workspaces/{workspace}/agents"
  std::string_view operation;      // operationId in the OpenAPI document
  Answerer answer = nullptr;       // where it is answered at once
  std::size_t body_bytes_max = 0;  // 0: takes no body
  Call call = Call::at_once;
  Access access = Access::bearer;
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> parameters;  // decoded, in the pattern's order
};

// NOT_FOUND where no path fits; METHOD_NOT_ALLOWED with the methods there are in `legal_next`.
base::Result<Match> match(std::string_view method, std::string_view path);

}  // namespace parley::gateway::http
