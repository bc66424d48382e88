// Which call answers which method and path. The same set stands in spec/api/openapi.json; a test compares the two.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::gateway::http {

enum class Call : std::uint8_t {
  create_workspace,
  list_workspaces,
  get_workspace,
  change_workspace,
  register_agent,
  list_agents,
  get_agent,
  change_agent,
  remove_agent,
  allocate,
  rotate_agent_token,
  register_person,
  list_people,
  change_person,
  remove_person,
  rotate_person_token,
  register_runner,
  list_runners,
  revoke_runner,
  send_messages,
  get_message,
  supersede_message,
  rescind_message,
  list_records,
  list_tasks,
  get_task,
  check_task,
  await_tasks,
  list_dependencies,
  set_dependencies,
  extend_task,
  report_task_error,
  abort_task,
  list_findings,
  list_reviews,
  get_review,
  list_help,
  get_help,
  list_collaborations,
  get_collaboration,
  list_approvals,
  get_approval,
  decide_approval,
  look_into_inbox,
  take,
  ack,
  act,
  nack,
  extend,
  check_deliveries,
  list_dead_letters,
  redrive,
  discard,
  read_log,
  stream,
  limits,
  healthz,
  readyz,
  metrics,
  openapi,
};

// Whose token a call wants before anything else is looked at; who may do what with it, the broker knows.
enum class Access : std::uint8_t { anyone, bearer, admin };

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/workspaces/{workspace}/agents"
  Call call{};
  std::string_view operation;      // operationId in the OpenAPI document
  std::size_t body_bytes_max = 0;  // 0: takes no body
  Access access = Access::bearer;
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> parameters;  // decoded, in the pattern's order
};

// NOT_FOUND where no path fits; METHOD_NOT_ALLOWED with the methods there are in `where`.
base::Result<Match> match(std::string_view method, std::string_view path);

}  // namespace parley::gateway::http
