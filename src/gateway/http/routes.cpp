#include "gateway/http/routes.hpp"

#include "net/http/target.hpp"

namespace parley::gateway::http {
namespace {

constexpr std::size_t small = 64 * 1024;  // a registration, a settlement
constexpr std::size_t batch = 8 << 20;    // messages
constexpr std::array table{
    Route{"POST", "/v1/workspaces", Call::create_workspace, "createWorkspace", false, small},
    Route{"GET", "/v1/workspaces", Call::list_workspaces, "listWorkspaces"},
    Route{"GET", "/v1/workspaces/{workspace}", Call::get_workspace, "getWorkspace"},
    Route{"PATCH", "/v1/workspaces/{workspace}", Call::change_workspace, "changeWorkspace", false, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents", Call::register_agent, "registerAgent", false, small},
    Route{"GET", "/v1/workspaces/{workspace}/agents", Call::list_agents, "listAgents"},
    Route{"PATCH", "/v1/workspaces/{workspace}/agents/{id}", Call::change_agent, "changeAgent", false, small},
    Route{"DELETE", "/v1/workspaces/{workspace}/agents/{id}", Call::remove_agent, "removeAgent"},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/token", Call::rotate_agent_token, "rotateAgentToken", false,
          small},
    Route{"POST", "/v1/workspaces/{workspace}/people", Call::register_person, "registerPerson", false, small},
    Route{"GET", "/v1/workspaces/{workspace}/people", Call::list_people, "listPeople"},
    Route{"PATCH", "/v1/workspaces/{workspace}/people/{id}", Call::change_person, "changePerson", false, small},
    Route{"DELETE", "/v1/workspaces/{workspace}/people/{id}", Call::remove_person, "removePerson"},
    Route{"POST", "/v1/workspaces/{workspace}/people/{id}/token", Call::rotate_person_token, "rotatePersonToken", false,
          small},
    Route{"POST", "/v1/workspaces/{workspace}/messages", Call::send_messages, "sendMessages", false, batch},
    Route{"GET", "/v1/workspaces/{workspace}/messages/{message_id}", Call::get_message, "getMessage"},
    Route{"GET", "/v1/workspaces/{workspace}/agents/{id}/inbox", Call::look_into_inbox, "lookIntoInbox"},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/take", Call::take, "takeMessages", false, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/ack", Call::ack, "ackDeliveries", false, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/nack", Call::nack, "nackDeliveries", false, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/extend", Call::extend, "extendLeases", false, small},
    Route{"GET", "/v1/workspaces/{workspace}/deadletters", Call::list_dead_letters, "listDeadLetters"},
    Route{"POST", "/v1/workspaces/{workspace}/deadletters/{delivery_id}/redrive", Call::redrive, "redriveDeadLetter",
          false, small},
    Route{"GET", "/v1/workspaces/{workspace}/log", Call::read_log, "readLog"},
    // Its token comes in the first frame: browsers' WebSockets cannot set a header.
    Route{"GET", "/v1/workspaces/{workspace}/stream", Call::stream, "openStream", true},
    Route{"GET", "/v1/limits", Call::limits, "getLimits"},
    Route{"GET", "/healthz", Call::healthz, "getHealth", true},
    Route{"GET", "/readyz", Call::readyz, "getReadiness", true},
    Route{"GET", "/metrics", Call::metrics, "getMetrics"},
    Route{"GET", "/openapi.json", Call::openapi, "getOpenApi", true},
};

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> parts;
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

bool is_parameter(std::string_view segment) {
  return segment.starts_with('{');
}

bool fits(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (is_parameter(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
  return true;
}

}  // namespace

std::span<const Route> routes() {
  return table;
}

base::Result<Match> match(std::string_view method, std::string_view path) {
  const std::vector<std::string_view> parts = segments(path);
  std::string allowed;
  for (const Route& route : table) {
    const std::vector<std::string_view> pattern = segments(route.pattern);
    if (!fits(pattern, parts)) continue;
    if (route.method != method && !(method == "HEAD" && route.method == "GET")) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
      continue;
    }
    Match match{&route, {}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!is_parameter(pattern[i])) continue;
      PARLEY_TRY(std::string decoded, net::http::percent_decoded(parts[i]));
      match.parameters.push_back(std::move(decoded));
    }
    return match;
  }
  if (!allowed.empty())
    return base::fail(base::ErrorCode::METHOD_NOT_ALLOWED, "this path has no " + std::string(method.substr(0, 16)),
                      allowed);
  return base::fail(base::ErrorCode::NOT_FOUND, "no call has this path", std::string(path.substr(0, 256)),
                    "See GET /openapi.json for the calls there are.");
}

}  // namespace parley::gateway::http
