#include "gateway/http/routes.hpp"

#include <algorithm>
#include <array>

#include "base/excerpt.hpp"
#include "envelope/limits.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::http {
namespace {

using broker::Answer;
using broker::Settlement;

constexpr std::size_t small = envelope::asked_bytes_max;
constexpr std::size_t medium = envelope::listed_bytes_max;
constexpr std::size_t batch = envelope::sent_bytes_max;
constexpr std::array table{
    Route{"POST", "/v1/workspaces", "createWorkspace",
          [](const Asked& a) { return a.port.registry.create_workspace(a.caller, a.body); }, small},
    Route{"GET", "/v1/workspaces", "listWorkspaces",
          [](const Asked& a) { return a.port.registry.workspaces(a.caller, a.page()); }},
    Route{"GET", "/v1/workspaces/{workspace}", "getWorkspace",
          [](const Asked& a) { return a.port.registry.workspace(a.caller, a.at[0]); }},
    Route{"PATCH", "/v1/workspaces/{workspace}", "changeWorkspace",
          [](const Asked& a) { return a.port.registry.change_workspace(a.caller, a.at[0], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents", "registerAgent",
          [](const Asked& a) { return a.port.registry.register_agent(a.caller, a.at[0], a.body); }, small,
          Call::at_once_with_token},
    Route{"GET", "/v1/workspaces/{workspace}/agents", "listAgents",
          [](const Asked& a) { return a.port.registry.agents(a.caller, a.at[0], a.page()); }},
    Route{"GET", "/v1/workspaces/{workspace}/agents/{id}", "getAgent",
          [](const Asked& a) { return a.port.registry.agent(a.caller, a.at[0], a.at[1]); }},
    Route{"PATCH", "/v1/workspaces/{workspace}/agents/{id}", "changeAgent",
          [](const Asked& a) { return a.port.registry.change_agent(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"DELETE", "/v1/workspaces/{workspace}/agents/{id}", "removeAgent",
          [](const Asked& a) { return a.port.registry.remove_agent(a.caller, a.at[0], a.at[1]); }},
    Route{"PUT", "/v1/workspaces/{workspace}/agents/{id}/allocations/{resource}", "allocateResource",
          [](const Asked& a) { return a.port.registry.allocate(a.caller, a.at[0], a.at[1], a.at[2], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/token", "rotateAgentToken",
          [](const Asked& a) { return rotate_token(a, "agents"); }, small, Call::at_once_with_token},
    Route{"POST", "/v1/workspaces/{workspace}/people", "registerPerson",
          [](const Asked& a) { return a.port.registry.register_person(a.caller, a.at[0], a.body); }, small,
          Call::at_once_with_token},
    Route{"GET", "/v1/workspaces/{workspace}/people", "listPeople",
          [](const Asked& a) { return a.port.registry.people(a.caller, a.at[0], a.page()); }},
    Route{"PATCH", "/v1/workspaces/{workspace}/people/{id}", "changePerson",
          [](const Asked& a) { return a.port.registry.change_person(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"DELETE", "/v1/workspaces/{workspace}/people/{id}", "removePerson",
          [](const Asked& a) { return a.port.registry.remove_person(a.caller, a.at[0], a.at[1]); }},
    Route{"POST", "/v1/workspaces/{workspace}/people/{id}/token", "rotatePersonToken",
          [](const Asked& a) { return rotate_token(a, "people"); }, small, Call::at_once_with_token},
    Route{"POST", "/v1/workspaces/{workspace}/runners", "registerRunner",
          [](const Asked& a) { return a.port.registry.register_runner(a.caller, a.at[0], a.body); }, small},
    Route{"GET", "/v1/workspaces/{workspace}/runners", "listRunners",
          [](const Asked& a) { return a.port.registry.runners(a.caller, a.at[0], a.page()); }},
    Route{"DELETE", "/v1/workspaces/{workspace}/runners/{id}", "revokeRunner",
          [](const Asked& a) { return a.port.registry.revoke_runner(a.caller, a.at[0], a.at[1]); }},
    Route{"POST", "/v1/workspaces/{workspace}/messages", "sendMessages", nullptr, batch, Call::send_messages},
    Route{"GET", "/v1/workspaces/{workspace}/messages/{message_id}", "getMessage",
          [](const Asked& a) { return a.port.messages.message(a.caller, a.at[0], a.at[1], a.query("to")); }},
    Route{"POST", "/v1/workspaces/{workspace}/messages/{message_id}/supersede", "supersedeMessage", nullptr, batch,
          Call::supersede_message},
    Route{"POST", "/v1/workspaces/{workspace}/messages/{message_id}/rescind", "rescindMessage",
          [](const Asked& a) {
            return a.port.messages.rescind(a.caller, a.at[0], a.at[1], a.query("to"),
                                           a.body.find("reason").if_string().value_or(""));
          },
          small},
    Route{"GET", "/v1/workspaces/{workspace}/records", "listRecords",
          [](const Asked& a) {
            return a.port.work.records(a.caller, a.at[0], a.query("task"), a.query("agent"), a.page());
          }},
    Route{"GET", "/v1/workspaces/{workspace}/tasks", "listTasks",
          [](const Asked& a) {
            return a.port.work.tasks(a.caller, a.at[0], a.query("state"), a.query("agent"), a.page());
          }},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}", "getTask",
          [](const Asked& a) { return a.port.work.task(a.caller, a.at[0], a.at[1]); }},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/wait", "awaitTasks", nullptr, medium, Call::await_tasks},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}/dependencies", "listDependencies",
          [](const Asked& a) { return a.port.work.dependencies(a.caller, a.at[0], a.at[1]); }},
    Route{"PUT", "/v1/workspaces/{workspace}/tasks/{task_id}/dependencies", "setDependencies",
          [](const Asked& a) { return a.port.work.set_dependencies(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/extend", "extendTask",
          [](const Asked& a) { return a.port.work.extend_task(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/errors", "reportTaskError",
          [](const Asked& a) { return a.port.work.report_task_error(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/abort", "abortTask",
          [](const Asked& a) { return a.port.work.abort_task(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/tasks/{task_id}/check", "checkTask",
          [](const Asked& a) {
            return a.port.work.check_task(a.caller, a.at[0], a.at[1], a.body.find("epoch").if_uint().value_or(0));
          },
          small},
    Route{"GET", "/v1/workspaces/{workspace}/tasks/{task_id}/findings", "listFindings",
          [](const Asked& a) { return a.port.work.findings(a.caller, a.at[0], a.at[1]); }},
    Route{"GET", "/v1/workspaces/{workspace}/reviews", "listReviews",
          [](const Asked& a) {
            return a.port.work.reviews(a.caller, a.at[0], a.query("state"), a.query("task"), a.page());
          }},
    Route{"GET", "/v1/workspaces/{workspace}/reviews/{review_id}", "getReview",
          [](const Asked& a) { return a.port.work.review(a.caller, a.at[0], a.at[1]); }},
    Route{"GET", "/v1/workspaces/{workspace}/help", "listHelp",
          [](const Asked& a) {
            return a.port.work.help_requests(a.caller, a.at[0], a.query("state"), a.query("agent"), a.page());
          }},
    Route{"GET", "/v1/workspaces/{workspace}/help/{help_id}", "getHelp",
          [](const Asked& a) { return a.port.work.help_request(a.caller, a.at[0], a.at[1]); }},
    Route{"GET", "/v1/workspaces/{workspace}/collaborations", "listCollaborations",
          [](const Asked& a) {
            return a.port.work.collaborations(a.caller, a.at[0], a.query("state"), a.query("agent"), a.page());
          }},
    Route{"GET", "/v1/workspaces/{workspace}/collaborations/{collaboration_id}", "getCollaboration",
          [](const Asked& a) { return a.port.work.collaboration(a.caller, a.at[0], a.at[1]); }},
    Route{"GET", "/v1/workspaces/{workspace}/approvals", "listApprovals",
          [](const Asked& a) { return a.port.work.approvals(a.caller, a.at[0], a.query("state"), a.page()); }},
    Route{"GET", "/v1/workspaces/{workspace}/approvals/{approval_id}", "getApproval",
          [](const Asked& a) { return a.port.work.approval(a.caller, a.at[0], a.at[1]); }},
    Route{"POST", "/v1/workspaces/{workspace}/approvals/{approval_id}/decision", "decideApproval",
          [](const Asked& a) { return a.port.work.decide_approval(a.caller, a.at[0], a.at[1], a.body); }, small},
    Route{"GET", "/v1/workspaces/{workspace}/agents/{id}/inbox", "lookIntoInbox",
          [](const Asked& a) { return a.port.mailboxes.inbox(a.caller, a.at[0], a.at[1], a.page()); }},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/take", "takeMessages", nullptr, small, Call::take},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/ack", "ackDeliveries",
          [](const Asked& a) {
            return settle(a, a.body.find("acted").if_bool().value_or(false) ? Settlement::act : Settlement::ack);
          },
          small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/acted", "actOnDeliveries",
          [](const Asked& a) { return settle(a, Settlement::act); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/nack", "nackDeliveries",
          [](const Asked& a) { return settle(a, Settlement::nack); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/extend", "extendLeases",
          [](const Asked& a) { return settle(a, Settlement::extend); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/agents/{id}/inbox/check", "checkDeliveries", check, medium},
    Route{"GET", "/v1/workspaces/{workspace}/deadletters", "listDeadLetters",
          [](const Asked& a) { return a.port.mailboxes.dead_letters(a.caller, a.at[0], a.page()); }},
    Route{"POST", "/v1/workspaces/{workspace}/deadletters/{delivery_id}/redrive", "redriveDeadLetter",
          [](const Asked& a) { return a.port.mailboxes.redrive(a.caller, a.at[0], a.at[1]); }, small},
    Route{"POST", "/v1/workspaces/{workspace}/deadletters/{delivery_id}/discard", "discardDeadLetter",
          [](const Asked& a) { return a.port.mailboxes.discard(a.caller, a.at[0], a.at[1]); }, small},
    Route{"GET", "/v1/workspaces/{workspace}/log", "readLog", nullptr, 0, Call::read_log},
    // Its token comes in the first frame: browsers' WebSockets cannot set a header.
    Route{"GET", "/v1/workspaces/{workspace}/stream", "openStream", nullptr, 0, Call::stream, Access::anyone},
    Route{"GET", "/v1/limits", "getLimits",
          [](const Asked& a) -> base::Result<Answer> { return a.port.gate.limits(); }},
    Route{"GET", "/healthz", "getHealth",
          [](const Asked&) -> base::Result<Answer> { return Answer{200, R"({"status":"ok"})"}; }, 0, Call::at_once,
          Access::anyone},
    Route{"GET", "/readyz", "getReadiness", nullptr, 0, Call::readyz, Access::anyone},
    Route{"GET", "/metrics", "getMetrics", nullptr, 0, Call::metrics, Access::admin},
    Route{"GET", "/openapi.json", "getOpenApi", nullptr, 0, Call::openapi, Access::anyone},
};

constexpr bool answers_at_once(const Route& route) {
  return route.call == Call::at_once || route.call == Call::at_once_with_token;
}
static_assert(std::all_of(table.begin(), table.end(),
                          [](const Route& route) { return answers_at_once(route) == (route.answer != nullptr); }));

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
  std::vector<std::string> allowed;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Route& route = table[i];
    if (!fits(patterns[i], parts)) continue;
    if (!answers(route, method)) {
      allowed.emplace_back(route.method);
      if (route.method == "GET" && route.call != Call::stream) allowed.emplace_back("HEAD");
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
  if (allowed.empty())
    return base::fail(base::ErrorCode::NOT_FOUND, "no call has this path", base::excerpt(path, 256),
                      "See GET /openapi.json for the calls there are.");
  base::Error error = base::error(base::ErrorCode::METHOD_NOT_ALLOWED, "this path has no " + base::excerpt(method, 16),
                                  base::excerpt(path, 256));
  error.legal_next = std::move(allowed);
  return std::unexpected(std::move(error));
}

}  // namespace parley::gateway::http
