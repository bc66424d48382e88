// The takers' part of the workload: HTTP takes and connections; acks, nacks and extensions, in time, late and repeated.
#include <algorithm>
#include <charconv>

#include "sim/workload.hpp"

namespace parley::sim {
namespace {

using namespace std::chrono_literals;
using broker::Settlement;

// "<offset>-<epoch>"
std::uint32_t epoch_of(std::string_view delivery_id) {
  std::uint32_t epoch = 0;
  const std::size_t dash = delivery_id.find('-') + 1;
  std::from_chars(delivery_id.data() + dash, delivery_id.data() + delivery_id.size(), epoch);
  return epoch;
}

}  // namespace

void Workload::take(Client& client, Manner manner) {
  const bool again = !client.last_take_id.empty() && dice_.one_in(4);
  if (!again) client.last_take_id = dice_.one_in(2) ? dice_.uuid() : "";
  broker::TakeRequest request;
  request.take_id = client.last_take_id;
  request.max = manner == Manner::drain ? 1'000 : static_cast<std::uint32_t>(dice_.between(1, 8));
  if (dice_.one_in(3)) request.lease = dice_.between(base::Duration(50ms), base::Duration(8s));
  const auto taken = world_.broker().port().mailboxes.take(*client.caller, client.workspace, client.agent_id, request);
  if (!world_.up()) return;
  if (!taken && for_want_of_room(taken.error())) return;
  if (!taken) return findings_.wrong("a take was refused: " + taken.error().message);
  if (taken->empty()) return;
  findings_.trace("take of " + client.agent_id + ": " + std::to_string(taken->size()) + " from " +
                  taken->front().delivery_id + (again ? ", the same take" : ""));
  const auto known = [&](const broker::Delivery& delivery) {
    return std::any_of(client.in_hand.begin(), client.in_hand.end(),
                       [&](const InHand& hand) { return hand.delivery_id == delivery.delivery_id; });
  };
  if (again && known(taken->front())) sightings_.saw(Sighting::take_repeated);
  receive(client, *taken, manner);
}

void Workload::wait_for_mail(Client& client) {
  if (client.waits_until) return;
  const base::Duration at_most = dice_.between(base::Duration(1ms), base::Duration(10s));
  client.waits_until = clock_.monotonic() + at_most;
  const auto wait =
      world_.broker().port().polls.wait_for_mail(*client.caller, client.workspace, client.agent_id, {}, at_most,
                                                 [&client](broker::Woken) { client.waits_until.reset(); });
  if (wait == broker::WaitId{}) findings_.wrong("'" + client.agent_id + "' may not wait for its own mail");
}

void Workload::check_waits() {
  for (const Client& client : clients_)
    if (client.waits_until && *client.waits_until <= clock_.monotonic())
      findings_.wrong("liveness: a long poll of '" + client.agent_id + "' outlives its time");
}

void Workload::receive(Client& client, std::span<const broker::Delivery> deliveries, Manner manner) {
  std::vector<std::pair<ReceivedDelivery, std::string>> received;
  for (const broker::Delivery& delivery : deliveries) {
    std::string bytes(delivery.message);
    if (options_.planted == Planted::alter_bytes && dice_.one_in(20)) bytes.back() ^= 1;
    const OfferKey offer{workspace_number(client), client.caller->agent.value, delivery.offset.value,
                         epoch_of(delivery.delivery_id)};
    received.push_back(
        {{offer, delivery.attempt, delivery.lease_until, base::sha256(bytes), delivery.notice}, delivery.delivery_id});
  }
  world_.answer([this, &client, received = std::move(received), manner] {
    for (const auto& [delivery, id] : received) {
      ledger_.received.push_back(delivery);
      std::uint32_t& newest = client.newest_offer[delivery.offer.offset];
      newest = std::max(newest, delivery.offer.epoch);
      if (delivery.lease_until) plan(client, delivery, id, manner);
    }
  });
}

void Workload::plan(Client& client, const ReceivedDelivery& delivery, const std::string& delivery_id, Manner manner) {
  InHand hand{delivery.offer, delivery_id, clock_.passed()};
  if (manner == Manner::wild) {
    const std::uint64_t choice = dice_.below(100);
    hand.word = choice < 65 ? Settlement::ack : choice < 85 ? Settlement::nack : Settlement::extend;
    hand.at += dice_.one_in(6) ? dice_.between(base::Duration(1s), base::Duration(20s))  // late, some of them
                               : dice_.between(base::Duration(0), base::Duration(1s));
    if (dice_.one_in(8)) hand.words_left = 2;
    if (dice_.one_in(12)) return;  // it says nothing at all
  }
  client.in_hand.push_back(std::move(hand));
}

void Workload::settle_due(Client& client, Manner manner) {
  std::vector<InHand> due;
  std::erase_if(client.in_hand, [&](const InHand& hand) {
    if (hand.at > clock_.passed()) return false;
    due.push_back(hand);
    return true;
  });
  if (due.empty()) return;
  if (manner != Manner::wild)
    for (InHand& hand : due) hand.word = Settlement::ack;
  for (InHand& hand : due)
    if (hand.word == Settlement::ack && dice_.one_in(4)) hand.word = Settlement::act;
  for (const Settlement word : {Settlement::ack, Settlement::act, Settlement::nack, Settlement::extend}) {
    std::vector<InHand> hands;
    std::copy_if(due.begin(), due.end(), std::back_inserter(hands), [&](const InHand& h) { return h.word == word; });
    if (!hands.empty() && world_.up()) settle(client, word, std::move(hands));
  }
}

void Workload::settle(Client& client, Settlement word, std::vector<InHand> hands) {
  std::vector<std::string> ids;
  for (const InHand& hand : hands) {
    const bool newest = options_.planted == Planted::ignore_epoch;
    ids.push_back(newest
                      ? std::to_string(hand.offer.offset) + '-' + std::to_string(client.newest_offer[hand.offer.offset])
                      : hand.delivery_id);
  }
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  broker::SettleRequest request{.what = word, .delivery_ids = views, .delay = {}, .reason = "simulated"};
  if (word == Settlement::nack && dice_.one_in(2)) request.delay = dice_.between(base::Duration(0), base::Duration(3s));
  if (word == Settlement::extend) request.lease = dice_.between(base::Duration(100ms), base::Duration(5s));
  const auto settled =
      world_.broker().port().mailboxes.settle(*client.caller, client.workspace, client.agent_id, request);
  if (!settled && for_want_of_room(settled.error())) {  // again in a while, or never: the lease ends
    for (InHand& hand : hands) hand.at = clock_.passed() + std::chrono::seconds(1);
    client.in_hand.insert(client.in_hand.end(), hands.begin(), hands.end());
    return;
  }
  if (!settled) return findings_.wrong("a settlement was refused: " + settled.error().message);
  for (std::size_t i = 0; i < hands.size(); ++i) {
    const bool done = (*settled)[i] == broker::Settled::done;
    findings_.trace(std::string(word == Settlement::ack    ? "ack "
                                : word == Settlement::act  ? "act "
                                : word == Settlement::nack ? "nack "
                                                           : "extend ") +
                    ids[i] + " of " + client.agent_id + ": " + std::string(name((*settled)[i])));
    if ((word == Settlement::ack || word == Settlement::act) && done) ledger_.acks_granted.insert(hands[i].offer);
    if (word == Settlement::extend && done) {
      hands[i].word = Settlement::ack;
      hands[i].words_left = 2;
    }
    if (hands[i].words_left > 1) {
      InHand next = hands[i];
      --next.words_left;
      next.at = clock_.passed() + dice_.between(base::Duration(0), base::Duration(2s));
      client.in_hand.push_back(std::move(next));
    }
  }
  world_.answer([this, hands = std::move(hands), verdicts = *settled, word] {
    for (std::size_t i = 0; i < hands.size(); ++i) {
      if (verdicts[i] == broker::Settled::superseded) sightings_.saw(Sighting::lease_fenced);
      if (word == Settlement::ack && verdicts[i] == broker::Settled::done) ledger_.acked.push_back(hands[i].offer);
    }
  });
}

void Workload::connect(Client& client) {
  auto connection = std::make_unique<Connection>(
      [this, &client](std::span<const broker::Delivery> deliveries) { receive(client, deliveries, Manner::wild); });
  broker::SessionOptions options;
  options.credit = static_cast<std::uint32_t>(dice_.between(0, 8));
  if (dice_.one_in(2)) options.lease = dice_.between(base::Duration(100ms), base::Duration(8s));
  options.receipts = options.credit % 2 == 0;
  const auto opened = world_.broker().port().sessions.open_session(*client.caller, *connection, options);
  if (!opened) return findings_.wrong("a session was refused: " + opened.error().message);
  if (client.connection && client.connection->open)
    findings_.wrong("reliability D10: the session before was not taken over");
  if (client.connection) sightings_.saw(Sighting::session_taken_over);
  findings_.trace("connect " + client.agent_id + " with credit " + std::to_string(options.credit));
  connection->id = *opened;
  ledger_.credit_max[opened->value] = options.credit;
  client.connection = std::move(connection);
}

void Workload::fiddle_with_connection(Client& client, Manner manner) {
  if (!client.connection || dice_.one_in(6)) return connect(client);
  Connection& connection = *client.connection;
  const std::uint64_t choice = dice_.below(4);
  if (choice == 0) {
    findings_.trace("disconnect " + client.agent_id);
    world_.broker().port().sessions.close_session(connection.id);
    client.connection.reset();
  } else if (choice == 1 && manner == Manner::wild) {
    connection.room = false;
  } else if (!connection.room) {
    connection.room = true;
    world_.broker().port().sessions.outbox_has_room(connection.id);
  } else {
    const auto credit = static_cast<std::uint32_t>(dice_.between(1, 12));
    std::uint32_t& most = ledger_.credit_max[connection.id.value];
    most = std::max(most, credit);
    world_.broker().port().sessions.set_credit(connection.id, credit);
  }
}

}  // namespace parley::sim
