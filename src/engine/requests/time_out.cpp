#include "engine/requests/time_out.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/messages/notice.hpp"
#include "engine/messages/said.hpp"
#include "engine/requests/ask_again.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t escalated_to_max = 16;
constexpr std::size_t escalation_looks = 10'000;  // agents a turn, in the search for them (D11)

// `of`: whose request, where another is told.
std::string unanswered(const Request& request, const std::string& silent, const std::string& of) {
  const std::string named = "request " + base::quoted(request.id.view()) + of;
  const std::string in_time = " within " + base::to_text(request.timeout);
  if (silent.empty()) return "Nobody got " + named + ", and no answer came" + in_time + '.';
  return "No answer from " + silent + in_time + " to " + named + '.';
}

}  // namespace

const std::vector<AgentNumber>& Escalations::of(const State& state, WorkspaceNumber workspace,
                                                const profile::Ruleset& rules, const std::string& role) {
  const auto [at, is_new] = found_.try_emplace({workspace, rules.name, role});
  if (!is_new || role.empty()) return at->second;
  const Registry& registry = state.workspace(workspace).registry;
  std::size_t looks = escalation_looks;
  for (const auto& [id, number] : registry.agents_by_id) {
    if (looks-- == 0) break;
    const AgentProperties& properties = registry.agent(number).properties;
    if (properties.profile != rules.name) continue;
    if (rules.role_of_agent(id, properties.agent_type) != role) continue;
    at->second.push_back(number);
    if (at->second.size() == escalated_to_max) break;
  }
  return at->second;
}

void decide_timed_out(const Deciding& deciding, Offset offset, const profile::Ruleset* rules,
                      Escalations& escalations) {
  const Workspace& workspace = deciding.workspace();
  const Request& request = *workspace.requests.find(offset);
  if (rules && decide_postponed(deciding, offset, *rules)) return;
  event::RequestTimedOut& over = *deciding.decided.add(deciding.number).mutable_request_timed_out();
  over.set_request(offset.value);
  over.set_asker(request.asker.value);
  for (const AgentNumber agent : request.waiting) over.add_silent(agent.value);
  over.set_bounces(request.reply_by);
  if (request.reply_by)
    post_notice(deciding, request.asker,
                {.code = "bounced",
                 .about = {offset},
                 .agents = request.waiting,
                 .reason = "no reply by " + base::to_rfc3339(request.due),
                 .id = request.id.view()});
  if (!rules || workspace.registry.agent(request.asker).removed) return;

  const std::string silent = names_of(workspace.registry, request.waiting);
  const std::string& asker = workspace.registry.agent(request.asker).id;
  Saying saying;
  saying.task = request.task;
  saying.reply_to = request.id.view();
  saying.silent = silent;
  saying.text = unanswered(request, silent, {}) + " Ask again under a new id, or ask somebody else.";
  if (!request.reply_by) say(deciding, request.asker, *rules, profile::Occasion::request_timed_out, saying);
  saying.text = unanswered(request, silent, " of '" + asker + "'");
  if (!rules->requests) return;
  for (const AgentNumber agent :
       escalations.of(deciding.state, deciding.number, *rules, rules->requests->escalates_to)) {
    const bool concerned = agent == request.asker || std::ranges::binary_search(request.waiting, agent);
    if (!concerned) say(deciding, agent, *rules, profile::Occasion::request_escalated, saying);
  }
}

}  // namespace parley::engine
