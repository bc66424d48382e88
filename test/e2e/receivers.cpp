#include "receivers.hpp"

#include <charconv>
#include <deque>

#include "base/time.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/stream.hpp"
#include "sdk/cpp/workspace.hpp"
#include "server_process.hpp"

namespace parley::e2e {
namespace {

constexpr auto lease_of_takers = Milliseconds(1500);  // outlives the server, and blocks its lanes meanwhile
constexpr auto lease_of_competitors = Milliseconds(120);

// A delivery in hand that is to be acked.
struct InHand {
  std::string delivery_id;
  std::uint64_t offset = 0;
  std::uint32_t epoch = 0;
  std::uint32_t newest_then = 0;  // when its ack was asked
};

std::uint32_t epoch_of(std::string_view delivery_id) {
  std::uint32_t epoch = 0;
  const std::size_t dash = delivery_id.find('-') + 1;
  std::from_chars(delivery_id.data() + dash, delivery_id.data() + delivery_id.size(), epoch);
  return epoch;
}

Seen seen_of(const sdk::Delivery& delivery, std::uint32_t life, bool repeated) {
  Seen seen{delivery.offset, epoch_of(delivery.delivery_id), {}, life, repeated};
  if (const auto until = base::parse_rfc3339(delivery.lease_until))
    seen.lease_until =
        WallClock::time_point(std::chrono::duration_cast<WallClock::duration>(until->time_since_epoch()));
  return seen;
}

// Notes what came; gives what is to be acked.
std::vector<InHand> note(Receiver& receiver, const std::string& agent, sdk::Deliveries deliveries, std::uint32_t life,
                         bool repeated) {
  std::vector<InHand> in_hand;
  for (const sdk::Delivery& delivery : deliveries) {
    const Seen seen = seen_of(delivery, life, repeated);
    if (!delivery.message.empty()) receiver.ledger.received(receiver.workspace + "/" + agent, delivery.message, seen);
    if (seen.lease_until) in_hand.push_back({std::string(delivery.delivery_id), seen.offset, seen.epoch, 0});
  }
  return in_hand;
}

void ask_acks(Receiver& receiver, const std::string& agent, std::vector<InHand>& in_hand) {
  const std::string recipient = receiver.workspace + "/" + agent;
  for (InHand& hand : in_hand) {
    hand.newest_then = receiver.ledger.newest_epoch(recipient, hand.offset);
    if (receiver.options.planted == Planted::ignore_epoch && hand.newest_then != 0)
      hand.delivery_id = std::to_string(hand.offset) + "-" + std::to_string(hand.newest_then);
    receiver.ledger.ack_asked(recipient, hand.offset);
  }
}

void note_acks(Receiver& receiver, const std::string& agent, const InHand& hand, std::string_view status) {
  if (hand.newest_then == 0) return;  // a notice
  receiver.ledger.ack_answered(receiver.workspace + "/" + agent, hand.offset, hand.epoch, hand.newest_then, status);
}

std::vector<std::string_view> ids_of(const std::vector<InHand>& in_hand) {
  std::vector<std::string_view> ids;
  for (const InHand& hand : in_hand) ids.push_back(hand.delivery_id);
  return ids;
}

bool hold_back(Receiver& receiver) {
  return !receiver.town.draining() &&
         receiver.ledger.outstanding() < receiver.options.outstanding_min + receiver.options.outstanding_min / 4;
}

std::string token_of(const Receiver& receiver, const std::string& agent) {
  return receiver.town.tokens.at(receiver.workspace + "/" + agent);
}

// --- by stream

void receive_in_one_session(Receiver& receiver, const Town::Life& life, sdk::Stream& stream) {
  const std::string& agent = receiver.agents.front();
  std::deque<std::pair<std::uint64_t, std::vector<InHand>>> asked;
  while (!receiver.town.over(life)) {
    if (hold_back(receiver)) {
      std::this_thread::sleep_for(Milliseconds(2));
      continue;
    }
    const auto frame = stream.next(Milliseconds(20));
    if (!frame) return;
    if (frame->kind == sdk::Frame::Kind::deliveries) {
      std::vector<InHand> in_hand = note(receiver, agent, frame->deliveries, life.number, false);
      if (in_hand.empty()) continue;
      ask_acks(receiver, agent, in_hand);
      const std::uint64_t id = stream.settle(sdk::Settlement::ack, ids_of(in_hand));
      asked.emplace_back(id, std::move(in_hand));
    } else if (frame->kind == sdk::Frame::Kind::result) {
      if (asked.empty() || asked.front().first != frame->re || frame->error) {
        receiver.ledger.wrong("acks by stream are answered out of order or refused");
        return;
      }
      std::size_t i = 0;
      for (const json::Value result : frame->results.elements())
        note_acks(receiver, agent, asked.front().second[i++], result.find("status").if_string().value_or(""));
      asked.pop_front();
      if (receiver.random() % 400 == 0) return;  // a new session takes over
    }
  }
}

// --- by take

struct Taker {
  Receiver& receiver;
  const Town::Life& life;
  const std::string& agent;
  sdk::Client& client;
  sdk::Workspace workspace;

  // False: the connection broke.
  bool settle(sdk::Settlement what, std::vector<InHand> in_hand, const sdk::SettleOptions& options = {}) {
    if (in_hand.empty()) return true;
    if (what == sdk::Settlement::ack) ask_acks(receiver, agent, in_hand);
    const auto settled = workspace.settle(what, agent, ids_of(in_hand), options);
    if (!settled && settled.error().code == base::ErrorCode::UNREACHABLE) return false;
    // 409: all are superseded.
    if (!settled && settled.error().code != base::ErrorCode::SUPERSEDED) {
      receiver.ledger.wrong("a settlement is refused: " + settled.error().message);
      return true;
    }
    if (what != sdk::Settlement::ack) return true;
    for (std::size_t i = 0; i < in_hand.size(); ++i) {
      const bool listed = settled && i < settled->size();
      note_acks(receiver, agent, in_hand[i], !settled ? "superseded" : listed ? (*settled)[i].status : "done");
    }
    return true;
  }
};

template <class Turn>
void take_in_turns(Receiver& receiver, const Turn& turn) {
  while (const auto life = receiver.town.life()) {
    std::vector<sdk::Client> clients;
    for (const std::string& agent : receiver.agents)
      clients.emplace_back(sdk::Access{life->url, token_of(receiver, agent), {}, {}});
    bool through = false;
    for (std::size_t i = 0; !receiver.town.over(*life); i = (i + 1) % clients.size()) {
      if (hold_back(receiver)) {
        std::this_thread::sleep_for(Milliseconds(2));
        continue;
      }
      Taker taker{receiver, *life, receiver.agents[i], clients[i], {clients[i], receiver.workspace}};
      if (!turn(taker)) break;
      if (!std::exchange(through, true)) receiver.town.got_through(life->number);
    }
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

}  // namespace

void receive_by_stream(Receiver& receiver) {
  const std::string& agent = receiver.agents.front();
  std::uint32_t last_life = 0;
  while (const auto life = receiver.town.life()) {
    auto stream =
        sdk::Stream::open({life->url, token_of(receiver, agent), {}, {}}, receiver.workspace, agent, {.credit = 256});
    if (stream) {
      if (last_life == life->number)
        receiver.ledger.session_ended(receiver.workspace + "/" + agent);
      else
        receiver.town.got_through(life->number);
      last_life = life->number;
      receive_in_one_session(receiver, *life, *stream);
    }
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

void receive_by_take(Receiver& receiver) {
  std::string lost_take;  // its answer never came
  take_in_turns(receiver, [&](Taker& taker) {
    sdk::TakeOptions options{.max = 48, .wait = Milliseconds(10), .lease = lease_of_takers};
    options.take_id = !lost_take.empty() ? lost_take : "take-" + std::to_string(receiver.random());
    lost_take = receiver.agents.size() == 1 ? options.take_id : "";
    auto taken = taker.workspace.take(taker.agent, options);
    if (!taken) return false;
    lost_take.clear();
    std::vector<InHand> in_hand = note(receiver, taker.agent, taken->deliveries(), taker.life.number, false);
    if (!in_hand.empty() && receiver.random() % 8 == 0) {
      auto again = taker.workspace.take(taker.agent, options);
      if (!again) return false;
      in_hand = note(receiver, taker.agent, again->deliveries(), taker.life.number, true);
    }
    return taker.settle(sdk::Settlement::ack, std::move(in_hand));
  });
}

void receive_in_competition(Receiver& receiver) {
  struct Late {
    std::chrono::steady_clock::time_point due;
    std::vector<InHand> in_hand;
  };
  std::deque<Late> late;
  take_in_turns(receiver, [&](Taker& taker) {
    const auto now = std::chrono::steady_clock::now();
    if (!late.empty() && late.front().due <= now) {
      Late due = std::move(late.front());
      late.pop_front();
      if (!taker.settle(sdk::Settlement::ack, std::move(due.in_hand))) return false;
    }
    auto taken =
        taker.workspace.take(taker.agent, {.max = 16, .wait = Milliseconds(10), .lease = lease_of_competitors});
    if (!taken) return false;
    std::vector<InHand> in_hand = note(receiver, taker.agent, taken->deliveries(), taker.life.number, false);
    const bool wild = !receiver.town.draining();
    const auto choice = receiver.random() % 16;
    if (wild && choice == 0) return true;  // never heard of again
    if (wild && choice <= 3) {
      late.push_back({now + lease_of_competitors + Milliseconds(receiver.random() % 80), std::move(in_hand)});
      return true;
    }
    if (wild && choice == 4) {
      std::erase_if(in_hand, [&](const InHand& hand) {
        return !receiver.ledger.nack_meant(receiver.workspace + "/" + taker.agent, hand.offset);
      });
      return taker.settle(sdk::Settlement::nack, std::move(in_hand), {.reason = "tried", .delay = Milliseconds(20)});
    }
    return taker.settle(sdk::Settlement::ack, std::move(in_hand));
  });
}

}  // namespace parley::e2e
