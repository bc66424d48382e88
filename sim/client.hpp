// One registered agent as its own program would be: it holds its token, what it has in hand, what it is still unsure
// of. It outlives the server's crashes and knows of the server only what was released to it. Resource type.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/port/call.hpp"
#include "broker/port/sessions.hpp"
#include "broker/port/settlement.hpp"
#include "sim/ledger.hpp"

namespace parley::sim {

// A delivery in the client's hand and when it means to say what of it.
struct InHand {
  OfferKey offer;
  std::string delivery_id;
  base::Duration at{};  // virtual time of the next word
  broker::Settlement word = broker::Settlement::ack;
  std::uint32_t words_left = 1;  // repeats itself
};

// A connection that takes pushed deliveries.
class Connection final : public broker::Outbox {
 public:
  using Deliver = std::move_only_function<void(std::span<const broker::Delivery>)>;
  explicit Connection(Deliver deliver) : deliver_(std::move(deliver)) {}

  bool has_room() const override { return room; }
  void deliver(broker::Deliveries deliveries) override { deliver_(deliveries.all); }
  void receipts(std::span<const broker::ReceiptChange>, std::uint64_t) override {}  // it asks, and reads none
  void taken_over() override { open = false; }

  base::SessionId id;
  bool room = true;
  bool open = true;

 private:
  Deliver deliver_;
};

struct Client {
  std::string workspace;
  std::string agent_id;
  std::string profile;
  std::string registration;  // JSON

  std::string token;  // empty: not registered, or not told
  std::optional<broker::Caller> caller;
  bool enrolling = false;  // its registration was asked for, the answer is not there yet
  bool leaving = false;    // its removal was

  std::unique_ptr<Connection> connection;
  std::optional<base::Duration> waits_until;  // a long poll, in virtual time
  std::vector<InHand> in_hand;
  std::string last_take_id;
  std::map<std::uint64_t, std::uint32_t> newest_offer;  // epoch by offset; only a planted fault uses it

  bool active() const { return caller.has_value() && !leaving; }
};

}  // namespace parley::sim
