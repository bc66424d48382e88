// Offers: which messages a session gets, and what an offer changes (D7: an offer is an event; R20, R32).
#include <algorithm>

#include "engine/appliers.hpp"
#include "engine/later.hpp"
#include "engine/mailboxes/selection.hpp"
#include "engine/mailboxes/transitions.hpp"
#include "engine/messages/expiry.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t remembered_takes = 8;

Offer offer_of(Offset offset, const Message& message, const Receipt& receipt, std::uint32_t epoch, Instant until) {
  return {.offset = offset,
          .epoch = epoch,
          .attempt = receipt.attempts + 1u,
          .lease_until = until,
          .position = message.position,
          .sender = message.sender,
          .priority = message.priority,
          .notice = message.notice,
          .remarked = message.remarked,
          .accepted_at = message.accepted_at};
}

// The still leased part of an earlier answer to the same take_id.
std::vector<Offer> offered_before(const Workspace& workspace, AgentNumber number, std::string_view take_id,
                                  Instant now) {
  std::vector<Offer> offers;
  for (const Taken& taken : workspace.registry.agent(number).takes) {
    if (taken.take_id != take_id) continue;
    for (const Offset offset : taken.offsets) {
      const Message* const message = workspace.messages.find(offset);
      if (!message) continue;
      const Receipt* receipt = message->receipt_of(number);
      if (receipt && receipt->state == ReceiptState::leased && receipt->session == taken.session &&
          receipt->until > now)
        offers.push_back(offer_of(offset, *message, *receipt, receipt->epoch, receipt->until));
    }
  }
  return offers;
}

}  // namespace

std::vector<Offer> Engine::decide(const TakeMessages& command, const Context& context, Decided& decided) const {
  const Workspace& workspace = state_.workspace(command.workspace);
  const Agent& agent = workspace.registry.agent(command.agent);
  if (!command.take_id.empty()) {
    auto offers = offered_before(workspace, command.agent, command.take_id, context.now);
    if (command.only_again || !offers.empty()) return offers;
  }

  std::vector<Offer> offers;
  std::vector<Offset> expired;
  std::uint64_t bytes = 0;
  const Instant until = later(context.now, command.lease > base::Duration{} ? command.lease : workspace.settings.lease);
  Selection selection(agent.mailbox, command.session, context.now);
  while (offers.size() < command.max) {
    const Offset offset = selection.next();
    if (offset == Offset{}) break;
    const Message& message = workspace.messages.at(offset);
    if (message.expires() && message.expires_at <= context.now) {  // never delivered (HND-10)
      if (expired.size() == command.expired_max) break;
      expired.push_back(offset);
      continue;
    }
    bytes +=
        std::max<std::uint64_t>(message.length, message.position < command.stored_before ? command.stored_bytes : 0);
    if (!offers.empty() && bytes > command.bytes_max) break;
    const Receipt& receipt = *message.receipt_of(command.agent);
    offers.push_back(offer_of(offset, message, receipt, receipt.epoch + 1, message.at_most_once ? Instant{} : until));
  }
  // Asked for in the very turn in which their time is over.
  for (const Offset offset : expired)
    decide_expired({decided, state_, command.workspace, context}, offset, workspace.messages.at(offset).undelivered());
  if (offers.empty()) return offers;

  event::Offered& event = *decided.add(command.workspace).mutable_offered();
  event.set_agent(command.agent.value);
  event.set_session(command.session.value);
  event.set_lease_until(base::unix_us(until));
  event.mutable_offsets()->Reserve(static_cast<int>(offers.size()));
  for (const Offer& offer : offers) event.add_offsets(offer.offset.value);
  event.set_take_id(std::string(command.take_id));
  return offers;
}

void apply(State& state, Workspace& workspace, WorkspaceNumber number, const event::Offered& event, Instant at) {
  const Scene scene{state, workspace, number, AgentNumber(event.agent()), at};
  const SessionId session(event.session());
  for (const std::uint64_t value : event.offsets()) {
    const Offset offset(value);
    const Found found = find(workspace, scene.agent_number, offset);
    if (!found.message->at_most_once) {
      lease(scene, offset, *found.message, *found.receipt, session, base::instant_of(event.lease_until()));
      continue;
    }
    // R20: handed over, never again.
    ++found.receipt->epoch;
    hand_over(scene, offset, *found.message, *found.receipt, session);
  }
  if (event.take_id().empty()) return;
  auto& takes = scene.agent().takes;
  std::erase_if(takes, [&](const Taken& taken) { return taken.take_id == event.take_id(); });
  Taken& taken = takes.emplace_back(Taken{event.take_id(), session, {}});
  for (const std::uint64_t value : event.offsets()) taken.offsets.emplace_back(value);
  if (takes.size() > remembered_takes) takes.erase(takes.begin());
}

}  // namespace parley::engine
