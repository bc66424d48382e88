// Mailboxes: looked into, taken from, settled.
#include <algorithm>

#include "broker/bounds.hpp"
#include "broker/delivery_calls.hpp"
#include "broker/dependencies.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "engine/mailboxes/open_messages.hpp"
#include "envelope/limits.hpp"

namespace parley::broker {
namespace {

// Of an order that is given again: its bytes say what held at first.
void note_times(const engine::Workspace& workspace, base::Offset order, DeliveryDetails& details) {
  const engine::TaskWatch& watch = workspace.tasks.at(*workspace.tasks.of_assignment(order)).watch;
  if (watch.deadline != base::Instant{}) details.task_deadline = watch.deadline;
  details.task_timeout = watch.timeout;
}

std::size_t stored_among(const std::vector<engine::Offer>& offers, base::Position kept_from) {
  return static_cast<std::size_t>(
      std::ranges::count_if(offers, [&](const engine::Offer& offer) { return offer.position < kept_from; }));
}

}  // namespace

// What is offered must be read: where it cannot be, the server stops before anybody is told of it (P9, B3).
base::Result<std::vector<Delivery>> DeliveryCalls::give(const Mailbox& mailbox,
                                                        const std::vector<engine::Offer>& offers) {
  const std::uint64_t before = core_.history().bytes_read();
  auto deliveries = render(mailbox, offers);
  if (!deliveries) {
    core_.fail(deliveries.error());
    return deliveries;
  }
  const std::uint64_t bytes_read = core_.history().bytes_read() - before;
  room_.take(*deliveries, bytes_read);
  if (const std::size_t stored = stored_among(offers, core_.history().kept_from()); stored > 0)
    stored_prices_[mailbox].paid(bytes_read, stored);
  return deliveries;
}

void DeliveryCalls::StoredPrice::paid(std::uint64_t bytes_read, std::size_t messages) {
  bytes_ = std::clamp((bytes_ + bytes_read / messages) / 2, least, most);
}

base::Result<std::vector<Delivery>> DeliveryCalls::render(const Mailbox& mailbox,
                                                          const std::vector<engine::Offer>& offers) {
  const engine::Workspace& workspace = core_.state().workspace(mailbox.workspace);
  std::vector<Delivery> deliveries;
  deliveries.reserve(offers.size());
  for (const engine::Offer& offer : offers) {
    Delivery& delivery = deliveries.emplace_back();
    delivery.delivery_id = delivery_id(offer.offset, offer.epoch);
    delivery.offset = offer.offset;
    delivery.attempt = offer.attempt;
    if (offer.lease_until != base::Instant{}) delivery.lease_until = offer.lease_until;
    delivery.priority = offer.priority;
    delivery.notice = offer.notice;
    delivery.task_epoch = workspace.tasks.epoch_of(offer.offset);
    if (delivery.task_epoch > 0)
      if (auto pending = pending_results(workspace, offer.offset); !pending.empty())
        delivery.details.made().pending = std::move(pending);
    if (delivery.task_epoch > 1) note_times(workspace, offer.offset, delivery.details.made());
    PARLEY_TRY(delivery.message, core_.history().body(offer.position));
    delivery.by_server = offer.sender == base::AgentNumber{};
    delivery.profile =  // R31: the server speaks to each in its own
        workspace.registry.agent(delivery.by_server ? mailbox.agent : offer.sender).properties.profile;
    if (offer.remarked) PARLEY_CHECK(note_remarks(offer, delivery.details.made()));
  }
  return deliveries;
}

// What its event says of it.
base::Result<> DeliveryCalls::note_remarks(const engine::Offer& offer, DeliveryDetails& details) {
  PARLEY_TRY(const event::Event event, core_.history().event(offer.position));
  const event::MessageAccepted& accepted = accepted_of(event);
  details.warnings = problems_of({&accepted.validation_errors(), &accepted.warnings()});
  // One that was over when a human let the message go is not awaited.
  const base::Instant reply_by = base::instant_of(accepted.answer_due());
  if (accepted.reply_by() && reply_by > core_.context().now) details.reply_by = reply_by;
  details.supersedes = base::Offset(accepted.supersedes());
  details.superseded_id = accepted.superseded_id();
  if (accepted.has_task_error()) details.task_error = task_error_of(accepted);
  if (accepted.made_id()) details.made_id = accepted.message_id();
  if (accepted.made_timestamp()) details.made_timestamp = offer.accepted_at;
  return {};
}

base::Result<std::vector<engine::Offer>> DeliveryCalls::offer(engine::TakeMessages command) {
  command.expired_max = expiries_left_;
  command.stored_before = core_.history().kept_from();
  const auto price = stored_prices_.find({command.workspace, command.agent});
  command.stored_bytes = (price == stored_prices_.end() ? StoredPrice() : price->second).bytes();
  const std::uint64_t ended = core_.counts().expired;
  auto offers = core_.decide(command, journal::Need::work);
  expiries_left_ -= std::min<std::size_t>(expiries_left_, core_.counts().expired - ended);
  return offers;
}

base::Result<std::vector<Delivery>> DeliveryCalls::take(const Caller& caller, std::string_view workspace,
                                                        std::string_view agent, const TakeRequest& request) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  PARLEY_TRY(const base::AgentNumber agent_number, own_mailbox(caller, number, agent));
  PARLEY_CHECK(check_lease(request.lease));
  const Mailbox mailbox{number, agent_number};
  PARLEY_CHECK(note_poll(mailbox));
  PARLEY_TRY(const auto offers, offer({
                                    .workspace = number,
                                    .agent = agent_number,
                                    .session = fresh_session(false),
                                    .max = std::clamp<std::uint32_t>(request.max, 1, envelope::taken_max),
                                    .lease = request.lease,
                                    .take_id = request.take_id,
                                    .only_again = request.only_again,
                                }));
  // Whoever waits under the same take_id, for it asked before or asks again, gets the same: in a turn, within its
  // bounds.
  if (!offers.empty() && waits_.repeat(mailbox, request.take_id)) core_.touched().insert(mailbox);
  return give(mailbox, offers);
}

base::Result<std::vector<Settled>> DeliveryCalls::settle(const Caller& caller, std::string_view workspace,
                                                         std::string_view agent, const SettleRequest& request) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace, Right::read));
  PARLEY_TRY(const base::AgentNumber agent_number, own_mailbox(caller, number, agent));
  PARLEY_CHECK(check_settlement(request));
  PARLEY_CHECK(note_poll({number, agent_number}));
  std::vector<engine::DeliveryId> deliveries;
  deliveries.reserve(request.delivery_ids.size());
  for (const std::string_view id : request.delivery_ids) deliveries.push_back(parse_delivery(id));

  base::Result<std::vector<Settled>> verdicts;
  switch (request.what) {
    case Settlement::ack:
      verdicts = core_.decide(engine::AckMessages{number, agent_number, deliveries}, journal::Need::duty);
      break;
    case Settlement::act:
      verdicts = core_.decide(engine::ActOnMessages{number, agent_number, deliveries}, journal::Need::duty);
      break;
    case Settlement::nack:
      verdicts = core_.decide(
          engine::NackMessages{number, agent_number, deliveries, request.delay, request.reason, request.code},
          journal::Need::work);
      break;
    case Settlement::extend:
      verdicts =
          core_.decide(engine::ExtendLeases{number, agent_number, deliveries, request.lease}, journal::Need::work);
      break;
  }
  const bool acks = request.what == Settlement::ack || request.what == Settlement::act;
  if (verdicts && acks)
    core_.counts().acked += static_cast<std::uint64_t>(std::count(verdicts->begin(), verdicts->end(), Settled::done));
  return verdicts;
}

base::Result<Answer> DeliveryCalls::inbox(const Caller& caller, std::string_view workspace_name,
                                          std::string_view agent_id, const Page& page) {
  const engine::State& state = core_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  PARLEY_TRY(const base::AgentNumber agent, look_into_mailbox(state, caller, number, agent_id));
  std::uint64_t after = 0;
  if (!page.after.empty()) {
    PARLEY_TRY(after, parse_cursor<std::uint64_t>(page.after));
  }

  const engine::Workspace& workspace = state.workspace(number);
  ListPage list(page.limit, &core_.history());
  std::uint64_t last = 0;
  engine::OpenMessages open(workspace.registry.agent(agent).mailbox, base::Offset(after));
  for (base::Offset offset = open.next(); offset != base::Offset{}; offset = open.next()) {
    const engine::Message& message = workspace.messages.at(offset);
    if (!list.takes(message.length)) return list.end(std::to_string(last));
    last = offset.value;
    const engine::Receipt& receipt = *message.receipt_of(agent);
    list.writer.begin_object().member("offset", offset.value).member("message_id", message.id.view());
    list.writer.member("state", name(receipt.state)).member("priority", envelope::name(message.priority));
    list.writer.member("attempts", receipt.attempts).member("bytes", message.length);
    list.writer.member("from", message.sender == base::AgentNumber{} ? profile::server_role
                                                                     : workspace.registry.agent(message.sender).id);
    list.writer.member("accepted_at", base::to_rfc3339(message.accepted_at));
    if (message.expires()) list.writer.member("expires_at", base::to_rfc3339(message.expires_at));
    PARLEY_TRY(const std::string_view body, core_.history().body(message.position));
    list.writer.key(message.notice ? "notice" : "message").raw(body).end_object();
  }
  return list.end();
}

}  // namespace parley::broker
