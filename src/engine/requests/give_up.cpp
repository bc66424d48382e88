#include "engine/requests/give_up.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/messages/notice.hpp"
#include "engine/messages/said.hpp"

namespace parley::engine {
namespace {

std::vector<AgentNumber> removed_of(const Workspace& workspace, const Request& request) {
  std::vector<AgentNumber> removed;
  for (const AgentNumber agent : request.waiting)
    if (workspace.registry.agent(agent).removed) removed.push_back(agent);
  return removed;
}

// Where it is in the mailbox still its end there is told as that of all mail is; what is forgotten is in none.
std::vector<AgentNumber> takers_of(const Workspace& workspace, Offset request, std::vector<AgentNumber> agents) {
  const Message* const message = workspace.messages.find(request);
  std::erase_if(agents, [&](AgentNumber agent) {
    const Receipt* const receipt = message ? message->receipt_of(agent) : nullptr;
    return message && (!receipt || !taken(receipt->state));
  });
  return agents;
}

}  // namespace

void decide_given_up(const Deciding& deciding, Offset offset, AgentNumber leaves, const profile::Ruleset* rules) {
  const Workspace& workspace = deciding.workspace();
  const Request& request = *workspace.requests.find(offset);
  const std::vector<AgentNumber> removed = removed_of(workspace, request);
  if (removed.front() != leaves) return;  // in this same turn, with the first
  event::RequestGivenUp& event = *deciding.decided.add(deciding.number).mutable_request_given_up();
  event.set_request(offset.value);
  for (const AgentNumber agent : removed) event.add_agents(agent.value);
  event.set_asker(request.asker.value);
  event.set_bounces(request.reply_by);
  if (request.reply_by) {
    const std::vector<AgentNumber> takers = takers_of(workspace, offset, removed);
    if (takers.empty()) return;
    return post_notice(deciding, request.asker,
                       {.code = "bounced",
                        .about = {offset},
                        .agents = takers,
                        .reason = "the recipient was removed before it replied",
                        .id = request.id.view()});
  }
  if (!rules) return;
  const std::string gone = names_of(workspace.registry, removed);
  Saying saying;
  saying.task = request.task;
  saying.reply_to = request.id.view();
  saying.silent = gone;
  saying.text = gone + (removed.size() > 1 ? " were removed before they" : " was removed before it") +
                " answered request " + base::quoted(request.id.view()) +
                (request.waiting.size() > removed.size() ? ". The others are still awaited." : ". Ask somebody else.");
  say(deciding, request.asker, *rules, profile::Occasion::request_given_up, saying);
}

}  // namespace parley::engine
