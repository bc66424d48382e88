// Mailboxes: looked into, taken from, settled; deliveries pushed to sessions; long polls woken.
#include <algorithm>

#include "broker/bounds.hpp"
#include "broker/broker.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/views.hpp"
#include "engine/mailboxes/open_messages.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

constexpr std::uint32_t take_max = 1'000;
// Of messages that are pushed (D11); one at least is, whatever its size.
constexpr std::uint64_t bytes_a_turn = 4u << 20;

std::vector<base::Problem> problems_of(const event::MessageAccepted& accepted) {
  std::vector<base::Problem> problems;
  for (const auto* list : {&accepted.validation_errors(), &accepted.warnings()})
    for (const event::Problem& problem : *list)
      problems.push_back({problem.instance(), problem.schema(), problem.message()});
  return problems;
}

// Of an order that is given again: its bytes say what held at first.
void note_times(const engine::Workspace& workspace, base::Offset order, Delivery& delivery) {
  const engine::TaskWatch& watch = workspace.tasks.at(*workspace.tasks.of_assignment(order)).watch;
  if (watch.deadline != base::Instant{}) delivery.task_deadline = watch.deadline;
  delivery.task_timeout = watch.timeout;
}

}  // namespace

base::Result<std::vector<Delivery>> Broker::render(const Mailbox& mailbox, const std::vector<engine::Offer>& offers) {
  const engine::Workspace& workspace = engine_.state().workspace(mailbox.workspace);
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
    if (delivery.task_epoch > 0) delivery.pending = pending_results(workspace, offer.offset);
    if (delivery.task_epoch > 1) note_times(workspace, offer.offset, delivery);
    PARLEY_TRY(delivery.message, history_.body(offer.position));
    delivery.by_server = offer.sender == base::AgentNumber{};
    delivery.profile =  // R31: the server speaks to each in its own
        workspace.registry.agent(delivery.by_server ? mailbox.agent : offer.sender).properties.profile;
    if (offer.remarked) {
      PARLEY_TRY(const event::Event event, history_.event(offer.position));
      const event::MessageAccepted& accepted = accepted_of(event);
      delivery.warnings = problems_of(accepted);
      // One that was over when a human let the message go is not awaited.
      const base::Instant reply_by = base::instant_of(accepted.answer_due());
      if (accepted.reply_by() && reply_by > context().now) delivery.reply_by = reply_by;
      delivery.supersedes = base::Offset(accepted.supersedes());
      delivery.superseded_id = accepted.superseded_id();
      if (accepted.has_task_error()) delivery.task_error = task_error_of(accepted);
      if (accepted.made_id()) delivery.made_id = accepted.message_id();
      if (accepted.made_timestamp()) delivery.made_timestamp = offer.accepted_at;
    }
  }
  return deliveries;
}

// What is offered must be read: where it cannot be, the server stops before anybody is told of it (P9, B3).
base::Result<std::vector<engine::Offer>> Broker::offer(engine::TakeMessages command) {
  command.expired_max = expiries_left_;
  const std::uint64_t ended = counts_.expired;
  auto offers = decide(command, journal::Need::work);
  expiries_left_ -= std::min<std::size_t>(expiries_left_, counts_.expired - ended);
  return offers;
}

base::Result<std::vector<Delivery>> Broker::take(const Caller& caller, std::string_view workspace,
                                                 std::string_view agent, const TakeRequest& request) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(engine_.state(), caller, workspace, Right::read));
  PARLEY_TRY(const base::AgentNumber agent_number, own_mailbox(caller, number, agent));
  PARLEY_CHECK(check_lease(request.lease));
  PARLEY_CHECK(note_poll({number, agent_number}));
  PARLEY_TRY(const auto offers, offer({
                                    .workspace = number,
                                    .agent = agent_number,
                                    .session = fresh_session(false),
                                    .max = std::clamp(request.max, 1u, take_max),
                                    .lease = request.lease,
                                    .take_id = request.take_id,
                                }));
  auto deliveries = render({number, agent_number}, offers);
  if (!deliveries) failure_ = deliveries.error();
  return deliveries;
}

base::Result<std::vector<Settled>> Broker::settle(const Caller& caller, std::string_view workspace,
                                                  std::string_view agent, const SettleRequest& request) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(engine_.state(), caller, workspace, Right::read));
  PARLEY_TRY(const base::AgentNumber agent_number, own_mailbox(caller, number, agent));
  PARLEY_CHECK(check_settlement(request));
  PARLEY_CHECK(note_poll({number, agent_number}));
  std::vector<engine::DeliveryId> deliveries;
  deliveries.reserve(request.delivery_ids.size());
  for (const std::string_view id : request.delivery_ids) deliveries.push_back(parse_delivery(id));

  base::Result<std::vector<Settled>> verdicts;
  switch (request.what) {
    case Settlement::ack:
      verdicts = decide(engine::AckMessages{number, agent_number, deliveries}, journal::Need::duty);
      break;
    case Settlement::act:
      verdicts = decide(engine::ActOnMessages{number, agent_number, deliveries}, journal::Need::duty);
      break;
    case Settlement::nack:
      verdicts =
          decide(engine::NackMessages{number, agent_number, deliveries, request.delay, request.reason, request.code},
                 journal::Need::work);
      break;
    case Settlement::extend:
      verdicts = decide(engine::ExtendLeases{number, agent_number, deliveries, request.lease}, journal::Need::work);
      break;
  }
  const bool acks = request.what == Settlement::ack || request.what == Settlement::act;
  if (verdicts && acks)
    counts_.acked += static_cast<std::uint64_t>(std::count(verdicts->begin(), verdicts->end(), Settled::done));
  return verdicts;
}

base::Result<Answer> Broker::inbox(const Caller& caller, std::string_view workspace_name, std::string_view agent_id,
                                   const Page& page) {
  const engine::State& state = engine_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  PARLEY_TRY(const base::AgentNumber agent, look_into_mailbox(state, caller, number, agent_id));
  std::uint64_t after = 0;
  if (!page.after.empty()) {
    PARLEY_TRY(after, parse_cursor<std::uint64_t>(page.after));
  }

  const engine::Workspace& workspace = state.workspace(number);
  ListPage list(page.limit);
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
    list.writer.member("from", message.sender == base::AgentNumber{} ? std::string_view("parley")
                                                                     : workspace.registry.agent(message.sender).id);
    list.writer.member("accepted_at", base::to_rfc3339(message.accepted_at));
    if (message.expires()) list.writer.member("expires_at", base::to_rfc3339(message.expires_at));
    PARLEY_TRY(const std::string_view body, history_.body(message.position));
    list.writer.key(message.notice ? "notice" : "message").raw(body).end_object();
  }
  return list.end();
}

WaitId Broker::wait_for_mail(const Caller& caller, std::string_view workspace, std::string_view agent,
                             base::Duration at_most, WaitDone done) {
  const auto number = engine_.state().find_workspace(workspace);
  if (!number || !own_mailbox(caller, *number, agent)) return {};
  return waits_.add({*number, caller.agent}, time_.now() + at_most, std::move(done));
}

WaitId Broker::wait_for_log(const Caller& caller, std::string_view workspace, std::uint64_t from,
                            base::Duration at_most, WaitDone done) {
  const auto number = enter(engine_.state(), caller, workspace, Right::read);
  if (!number) return {};
  // What is there, and cannot be read before it is stored.
  const bool on_its_way = syncing() || !block_->empty();
  if (on_its_way && from <= engine_.state().workspace(*number).head.value)
    after_sync([this, log = Mailbox{*number, {}}] { touched_.insert(log); });
  return waits_.add({*number, {}}, time_.now() + at_most, std::move(done));
}

WaitId Broker::wait_for_tasks(const Caller& caller, std::string_view workspace, base::Duration at_most, WaitDone done) {
  const auto number = enter(engine_.state(), caller, workspace, Right::read);
  if (!number) return {};
  return waits_.add({*number, {}, true}, time_.now() + at_most, std::move(done));
}

void Broker::cancel(WaitId wait) {
  waits_.cancel(wait);
}

base::Result<base::SessionId> Broker::open_session(const Caller& caller, Outbox& outbox,
                                                   const SessionOptions& options) {
  if (caller.kind != Caller::Kind::agent)
    return base::fail(ErrorCode::FORBIDDEN, "'" + caller.id + "' is no agent and has no mailbox", {},
                      "Say hello with the token of an agent.");
  PARLEY_CHECK(enter(engine_.state(), caller, caller.workspace, Right::read));
  PARLEY_CHECK(check_lease(options.lease));
  const Mailbox mailbox{caller.workspace_number, caller.agent};
  PARLEY_CHECK(note_poll(mailbox));
  if (const auto before = session_of_.find(mailbox); before != session_of_.end()) {
    Outbox& old = *sessions_.at(before->second).outbox;
    close_session(before->second);
    old.taken_over();
  }
  const base::SessionId id = fresh_session(true);
  sessions_.emplace(id, Session{mailbox, &outbox, options.credit, options.lease});
  session_of_.emplace(mailbox, id);
  if (options.receipts) receipt_watch_.begin(mailbox);
  touched_.insert(mailbox);
  return id;
}

void Broker::set_credit(base::SessionId session, std::uint32_t credit) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  at->second.credit = credit;
  touched_.insert(at->second.mailbox);
}

void Broker::outbox_has_room(base::SessionId session) {
  if (const auto at = sessions_.find(session); at != sessions_.end()) touched_.insert(at->second.mailbox);
}

void Broker::close_session(base::SessionId session) {
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  const Mailbox mailbox = at->second.mailbox;
  session_of_.erase(mailbox);
  sessions_.erase(at);
  receipt_watch_.end(mailbox);
  (void)note_poll(mailbox);  // it was there until now
  // Without room for it they end by time.
  (void)decide(engine::ReturnLeases{mailbox.workspace, mailbox.agent, session, options_.step_messages},
               journal::Need::duty);
}

base::Offset Broker::head(const Caller& caller) {
  if (caller.workspace_number == base::WorkspaceNumber{}) return {};
  return engine_.state().workspace(caller.workspace_number).head;
}

void Broker::Room::take(std::span<const Delivery> pushed) {
  deliveries -= std::min(deliveries, pushed.size());
  for (const Delivery& delivery : pushed) bytes -= std::min<std::uint64_t>(bytes, delivery.message.size());
}

void Broker::push(base::SessionId id, Session& session, Room& room) {
  const Mailbox mailbox = session.mailbox;
  const engine::Agent& agent = engine_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent);
  while (room.any()) {
    const auto leased = static_cast<std::uint32_t>(agent.mailbox.leased_count(id));
    if (session.credit <= leased || !agent.mailbox.anything_ready(id) || !session.outbox->has_room()) return;
    const std::size_t max = std::min<std::size_t>(session.credit - leased, room.deliveries);
    const auto offers = offer({.workspace = mailbox.workspace,
                               .agent = mailbox.agent,
                               .session = id,
                               .max = static_cast<std::uint32_t>(max),
                               .bytes_max = room.bytes,
                               .lease = session.lease,
                               .take_id = {}});
    if (!offers) starved_.insert(mailbox);
    if (!offers || offers->empty()) return;
    const auto deliveries = render(mailbox, *offers);
    if (!deliveries) failure_ = deliveries.error();
    if (!deliveries) return;
    room.take(*deliveries);
    session.outbox->deliver(*deliveries);
    history_.release();
  }
  touched_.insert(mailbox);  // more in another turn
}

void Broker::push_receipts() {
  for (const ReceiptWatch::Sender& sender : receipt_watch_.to_be_told()) {
    Outbox& outbox = *sessions_.at(session_of_.at(sender)).outbox;
    while (outbox.has_room()) {
      const ReceiptWatch::Told told = receipt_watch_.take(sender, options_.deliveries_a_turn);
      if (told.changes.empty()) break;
      outbox.receipts(told.changes, told.left_out);
    }
  }
}

// What one turn has no room for is served first in the next, whatever is touched meanwhile: nobody is passed over.
void Broker::serve_touched() {
  Room room{options_.deliveries_a_turn, bytes_a_turn};
  serve_some(room);
  if (serving_.empty()) serving_.swap(touched_);
  serve_some(room);
}

void Broker::serve_some(Room& room) {
  while (!serving_.empty() && room.any()) {
    const Mailbox mailbox = *serving_.begin();
    serving_.erase(serving_.begin());
    serve(mailbox, room);
  }
}

void Broker::serve(const Mailbox& mailbox, Room& room) {
  if (mailbox.agent == base::AgentNumber{}) {
    for (WaitDone& done : waits_.take(mailbox)) after_sync(std::move(done));
    return;
  }
  if (const auto session = session_of_.find(mailbox); session != session_of_.end())
    push(session->second, sessions_.at(session->second), room);
  if (!engine_.state().workspace(mailbox.workspace).registry.agent(mailbox.agent).mailbox.anything_ready({})) return;
  for (WaitDone& done : waits_.take(mailbox)) {
    const std::uint64_t before = counts_.offered;
    done();
    room.deliveries -= std::min<std::uint64_t>(room.deliveries, counts_.offered - before);
  }
}

}  // namespace parley::broker
