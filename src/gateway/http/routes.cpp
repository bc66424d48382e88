#include "gateway/http/routes.hpp"

#include <array>

#include "net/http/target.hpp"

namespace parley::gateway::http {
namespace {

constexpr std::size_t small = 64 * 1024;    // a registration, a settlement
constexpr std::size_t medium = 512 * 1024;  // a list of ids
constexpr std::size_t batch = 8 << 20;      // messages
constexpr std::array table{
    Route{"POST", "/v1/workspaces", Call::create_workspace, "createWorkspace", small},
    Route{"GET", "/v1/workspaces", Call::list_workspaces, "listWorkspaces"},
    Route{"GET", "/v1/workspaces/{workspace}", Call::get_workspace, "getWorkspace"},
    Route{"PATCH", "/v1/workspaces/{workspace}", Call::change_workspace, "changeWorkspace", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents", Call::register_agent, "registerAgent", small},
    Route{"GET", "/v1/workspaces/{workspace}/agents", Call::list_agents, "listAgents"},
    Route{"GET", "/v1/workspaces/{workspace}/agents/{id}", Call::get_agent, "getAgent"},
    Route{"PATCH", "/v1/workspaces/{workspace}/agents/{id}", Call::change_agent, "changeAgent", small},
    Route{"DELETE", "/v1/workspaces/{workspace}/agents/{id}", Call::remove_agent, "removeAgent"},
    Route{"PUT", "/v1/workspaces/{workspace}/agents/{id}/allocations/{resource}", Call::allocate, "allocateResource",
          small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/token", Call::rotate_agent_token, "rotateAgentToken", small},
    Route{"POST", "/v1/workspaces/{workspace}/people", Call::register_person, "registerPerson", small},
    Route{"GET", "/v1/workspaces/{workspace}/people", Call::list_people, "listPeople"},
    Route{"PATCH", "/v1/workspaces/{workspace}/people/{id}", Call::change_person, "changePerson", small},
    Route{"DELETE", "/v1/workspaces/{workspace}/people/{id}", Call::remove_person, "removePerson"},
    Route{"POST", "/v1/workspaces/{workspace}/people/{id}/token", Call::rotate_person_token, "rotatePersonToken",
          small},
    Route{"POST", "/v1/workspaces/{workspace}/runners", Call::register_runner, "registerRunner", small},
    Route{"GET", "/v1/workspaces/{workspace}/runners", Call::list_runners, "listRunners"},
    Route{"DELETE", "/v1/workspaces/{workspace}/runners/{id}", Call::revoke_runner, "revokeRunner"},
    Route{"POST", "/v1/workspaces/{workspace}/messages", Call::send_messages, "sendMessages", batch},
    Route{"GET", "/v1/workspaces/{workspace}/messages/{message_id}", Call::get_message, "getMessage"},
    Route{"POST", "/v1/workspaces/{workspace}/messages/{message_id}/supersede", Call::supersede_message,
          "supersedeMessage", batch},
    Route{"POST", "/v1/workspaces/{workspace}/messages/{message_id}/rescind", Call::rescind_message, "rescindMessage",
          small},
    Route{"GET", "/v1/workspaces/{workspace}/records", Call::list_records, "listRecords"},
    Route{"GET", "/v1/workspaces/{workspace}/tasks", Call::list_tasks, "listTasks"},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}", Call::get_task, "getTask"},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/wait", Call::await_tasks, "awaitTasks", medium},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}/dependencies", Call::list_dependencies,
          "listDependencies"},
    Route{"PUT", "/v1/workspaces/{workspace}/tasks/{task_id}/dependencies", Call::set_dependencies, "setDependencies",
          small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/extend", Call::extend_task, "extendTask", small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/errors", Call::report_task_error, "reportTaskError",
          small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/abort", Call::abort_task, "abortTask", small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/check", Call::check_task, "checkTask", small},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}/findings", Call::list_findings, "listFindings"},
    Route{"GET", "/v1/workspaces/{workspace}/reviews", Call::list_reviews, "listReviews"},
    Route{"GET", "/v1/workspaces/{workspace}/reviews/{review_id}", Call::get_review, "getReview"},
    Route{"GET", "/v1/workspaces/{workspace}/help", Call::list_help, "listHelp"},
    Route{"GET", "/v1/workspaces/{workspace}/help/{help_id}", Call::get_help, "getHelp"},
    Route{"GET", "/v1/workspaces/{workspace}/collaborations", Call::list_collaborations, "listCollaborations"},
    Route{"GET", "/v1/workspaces/{workspace}/collaborations/{collaboration_id}", Call::get_collaboration,
          "getCollaboration"},
    Route{"GET", "/v1/workspaces/{workspace}/approvals", Call::list_approvals, "listApprovals"},
    Route{"GET", "/v1/workspaces/{workspace}/approvals/{approval_id}", Call::get_approval, "getApproval"},
    Route{"POST", "/v1/workspaces/{workspace}/approvals/{approval_id}/decision", Call::decide_approval,
          "decideApproval", small},
    Route{"GET", "/v1/workspaces/{workspace}/agents/{id}/inbox", Call::look_into_inbox, "lookIntoInbox"},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/take", Call::take, "takeMessages", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/ack", Call::ack, "ackDeliveries", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/acted", Call::act, "actOnDeliveries", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/nack", Call::nack, "nackDeliveries", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/extend", Call::extend, "extendLeases", small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/check", Call::check_deliveries, "checkDeliveries",
          medium},
    Route{"GET", "/v1/workspaces/{workspace}/deadletters", Call::list_dead_letters, "listDeadLetters"},
    Route{"POST", "/v1/workspaces/{workspace}/deadletters/{delivery_id}/redrive", Call::redrive, "redriveDeadLetter",
          small},
    Route{"POST", "/v1/workspaces/{workspace}/deadletters/{delivery_id}/discard", Call::discard, "discardDeadLetter",
          small},
    Route{"GET", "/v1/workspaces/{workspace}/log", Call::read_log, "readLog"},
    // Its token comes in the first frame: browsers' WebSockets cannot set a header.
    Route{"GET", "/v1/workspaces/{workspace}/stream", Call::stream, "openStream", 0, Access::anyone},
    Route{"GET", "/v1/limits", Call::limits, "getLimits"},
    Route{"GET", "/healthz", Call::healthz, "getHealth", 0, Access::anyone},
    Route{"GET", "/readyz", Call::readyz, "getReadiness", 0, Access::anyone},
    Route{"GET", "/metrics", Call::metrics, "getMetrics", 0, Access::admin},
    Route{"GET", "/openapi.json", Call::openapi, "getOpenApi", 0, Access::anyone},
};

constexpr std::size_t segments_max = 8;

struct Segments {
  std::array<std::string_view, segments_max> parts;
  std::size_t count = 0;  // segments_max + 1: more than any route has
};

constexpr Segments split(std::string_view path) {
  Segments segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    if (segments.count == segments_max) return {{}, segments_max + 1};
    segments.parts[segments.count++] = path.substr(0, slash);
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

constexpr auto patterns = [] {
  std::array<Segments, table.size()> split_ones;
  for (std::size_t i = 0; i < table.size(); ++i) split_ones[i] = split(table[i].pattern);
  return split_ones;
}();

bool is_parameter(std::string_view segment) {
  return segment.starts_with('{');
}

bool fits(const Segments& pattern, const Segments& path) {
  if (pattern.count != path.count) return false;
  for (std::size_t i = 0; i < path.count; ++i) {
    const std::string_view part = path.parts[i];
    if (is_parameter(pattern.parts[i]) ? part.empty() : pattern.parts[i] != part) return false;
  }
  return true;
}

bool answers(const Route& route, std::string_view method) {
  return route.method == method || (method == "HEAD" && route.method == "GET" && route.call != Call::stream);
}

}  // namespace

std::span<const Route> routes() {
  return table;
}

base::Result<Match> match(std::string_view method, std::string_view path) {
  const Segments parts = split(path);
  std::string allowed;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Route& route = table[i];
    if (!fits(patterns[i], parts)) continue;
    if (!answers(route, method)) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
      if (route.method == "GET" && route.call != Call::stream) allowed += ", HEAD";
      continue;
    }
    Match match{&route, {}};
    for (std::size_t part = 0; part < parts.count; ++part) {
      if (!is_parameter(patterns[i].parts[part])) continue;
      PARLEY_TRY(std::string decoded, net::http::percent_decoded(parts.parts[part]));
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
