#include "engine/requests/ask_again.hpp"

#include "engine/later.hpp"
#include "engine/messages/fields.hpp"
#include "engine/retry.hpp"

namespace parley::engine {
namespace {

void write(Offset offset, const Request& request, const profile::RetryPolicy& retry, const Context& context,
           const std::vector<AgentNumber>& agents, event::RequestPostponed& out) {
  std::uint32_t sends = 1;
  for (const AgentNumber agent : agents) {
    out.add_agents(agent.value);
    sends = std::max(sends, request.sends_to(agent));
  }
  const Instant again_at = later(context.now, backoff(retry, sends, context.seed));
  out.set_request(offset.value);
  out.set_again_at(base::unix_us(again_at));
  out.set_due(base::unix_us(later(again_at, request.timeout)));
}

// It was offered and is not acked. What nobody has read yet is there still.
bool is_tried(ReceiptState state) {
  return state == ReceiptState::leased || state == ReceiptState::waiting;
}

// The request can be had once more: it was read, has not expired, is still remembered, and there is room for it.
// `before`: what this decision puts there already; the request is added to it.
bool can_be_had(const Workspace& workspace, Offset offset, AgentNumber agent, Instant now, Load& before) {
  const Message* const message = workspace.messages.find(offset);
  const Receipt* const receipt = message ? message->receipt_of(agent) : nullptr;
  if (!receipt || workspace.registry.agent(agent).removed) return false;
  if (message->expires() && message->expires_at <= now) return false;
  if (!taken(receipt->state)) return is_tried(receipt->state);  // what is open has its room
  if (!has_room(workspace.settings, workspace.registry.agent(agent), message->length, before)) return false;
  ++before.messages;
  before.bytes += message->length;
  return true;
}

}  // namespace

bool postpones(const AcceptMessage& command, Offset offset, const Request& request, const Context& context,
               event::MessageAccepted& event) {
  const profile::RetryPolicy& retry = command.ruleset.retry;
  if (request.reply_by) return false;  // a deadline stays
  if (!command.ruleset.requests->retries_errors || field(command.envelope, "recoverable") == "false") return false;
  if (!retry.may_pass(text_in(command.envelope, "error_code"))) return false;
  if (request.sends_to(command.sender) >= retry.attempts) return false;
  write(offset, request, retry, context, {command.sender}, *event.mutable_postpones());
  return true;
}

bool decide_postponed(const Deciding& deciding, Offset offset, const profile::Ruleset& rules) {
  const Request& request = *deciding.workspace().requests.find(offset);
  if (request.reply_by || !rules.requests || !rules.requests->retries_timeouts) return false;
  std::vector<AgentNumber> agents;
  for (const AgentNumber agent : request.waiting)
    if (request.sends_to(agent) < rules.retry.attempts) agents.push_back(agent);
  if (agents.empty()) return false;
  write(offset, request, rules.retry, deciding.context, agents,
        *deciding.decided.add(deciding.number).mutable_request_postponed());
  return true;
}

void decide_asked_again(const Deciding& deciding, Offset offset, AgentNumber agent) {
  const auto& [decided, state, number, context] = deciding;
  event::RequestAskedAgain& event = *decided.add(number).mutable_request_asked_again();
  event.set_request(offset.value);
  event.set_agent(agent.value);
  event.set_given(can_be_had(deciding.workspace(), offset, agent, context.now, decided.notices_to(number, agent)));
  event.set_anew(event.given() && is_tried(deciding.workspace().messages.at(offset).receipt_of(agent)->state));
}

Timer timer_of_again(WorkspaceNumber number, Offset offset, AgentNumber agent, Instant at) {
  return {at, TimerKind::request_asks_again, number, agent, offset};
}

void asks_no_more(State& state, const Request& request, WorkspaceNumber number, Offset offset, AgentNumber agent) {
  const auto known = request.again.find(agent);
  if (known != request.again.end() && known->second.at != Instant{})
    state.timers.erase(timer_of_again(number, offset, agent, known->second.at));
}

}  // namespace parley::engine
