#include "engine/messages/expiry.hpp"

#include "engine/appliers.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/notice.hpp"

namespace parley::engine {

void decide_expired(const Deciding& deciding, Offset offset, const std::vector<AgentNumber>& agents) {
  event::Expired& event = *deciding.decided.add(deciding.number).mutable_expired();
  event.set_message(offset.value);
  for (const AgentNumber agent : agents) event.add_agents(agent.value);
  if (agents.empty()) return;
  const Message& message = deciding.workspace().messages.at(offset);
  post_notice(deciding, message.sender,
              {.code = "expired",
               .about = {offset},
               .agents = agents,
               .reason = "expired at " + base::to_rfc3339(message.expires_at)});
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Expired& event, Instant at) {
  const Offset offset(event.message());
  const Message* const known = workspace.messages.find(offset);
  if (!known) return;  // closed and forgotten by an earlier event of the same decision
  const Instant expires_at = known->expires_at;
  for (const std::uint32_t agent : event.agents()) {
    const Scene scene{state, workspace, number, AgentNumber(agent), at};
    const Found found = find(workspace, scene.agent_number, offset);
    if (found && found.receipt->state == ReceiptState::held) {  // kept back (COL-10)
      withhold(scene, offset, *found.message, *found.receipt, ReceiptState::expired);
      continue;
    }
    if (!found || !open(found.receipt->state)) continue;
    if (found.receipt->state == ReceiptState::leased) give_back_later(scene, offset, *found.message);
    close(scene, offset, *found.message, *found.receipt, ReceiptState::expired);
  }
  // Those who hold it have their leases' timers; it is armed again when one gives it back.
  const Message* const left = workspace.messages.find(offset);
  if (!left || left->undelivered().empty())
    state.timers.erase({expires_at, TimerKind::message_expires, number, {}, offset});
}

}  // namespace parley::engine
