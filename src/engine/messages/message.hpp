// A message as the engine knows it: where its bytes lie and what became of it at each recipient (D1, D7).
// Value types, part of the engine's state. No message bytes here.
#pragma once
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/packed_text.hpp"
#include "engine/mailboxes/mailbox.hpp"
#include "engine/messages/id_index.hpp"

namespace parley::engine {

using base::AgentNumber;
using base::Position;

// The life of a message at one recipient (architecture, "The message's life").
enum class ReceiptState : std::uint8_t {
  queued,
  leased,   // offered, and not yet acked
  waiting,  // nacked, until its backoff is over
  acked,
  offered,  // at-most-once: handed over once, never again (R20)
  expired,
  dead,
  bounced,
  superseded,  // what it was about is over, or another stands in its place
  held,        // a human decides first (SUP-04): in no mailbox yet
  rejected,    // and has decided that it goes no further
  rescinded,   // its sender took it back, and nothing stands in its place
  acted,       // its recipient says that what it asks for is done
  discarded,   // it was dead, and nobody is to try it again
};

enum class Bounce : std::uint8_t { none, mailbox_full, removed, no_reply };
constexpr std::array<std::string_view, 4> bounce_names{"", "mailbox_full", "removed", "no_reply"};

constexpr bool open(ReceiptState state) {
  return state == ReceiptState::queued || state == ReceiptState::leased || state == ReceiptState::waiting;
}

// It is its recipient's for good.
constexpr bool taken(ReceiptState state) {
  return state == ReceiptState::acked || state == ReceiptState::acted || state == ReceiptState::offered;
}

struct Receipt {
  AgentNumber agent;
  ReceiptState state = ReceiptState::queued;
  std::uint8_t attempts = 0;     // nacks, and leases that ended by themselves (R46)
  std::uint8_t uncounted = 0;    // offers that a restart or a lost connection took back (R46)
  Bounce bounce = Bounce::none;  // why it bounced
  std::uint32_t epoch = 0;       // of the newest offer; an ack of an older one is refused
  SessionId session{};           // while leased
  Instant until{};               // leased: end of the lease; waiting: of the backoff

  template <class Archive>
  void archive(Archive& a) {
    a(agent, state, attempts, uncounted, bounce, epoch, session, until);
  }
};

IdKey id_key_of(std::string_view message_id, std::string_view recipient = {});  // made by the server: without one

// Of a message that its sender alone knows of (R25): by name, since who registers anew may repeat what was sent before.
IdKey private_key_of(const IdKey& key, std::string_view sender);

struct Message {
  Position position;  // of its record in the journal
  std::uint32_t length = 0;
  AgentNumber sender;  // 0: the server itself
  base::HalfDigest content{};
  Instant accepted_at;
  Instant sent_at;     // by the sender's own clock; 0: it did not say
  Instant expires_at;  // 0: never
  LaneId lane;
  Priority priority = Priority::normal;
  bool at_most_once = false;
  bool notice = false;    // the server's own words (R31)
  bool private_ = false;  // R25: delivered to nobody here, shown as {offset, private}
  bool remarked = false;  // its event carries what its deliveries say beside it
  bool remembered = false;
  std::uint8_t needed = 0;        // by how many mechanisms: an open task's order, its offer, its parts
  bool linked = false;            // was taken back, or stands in another's place (currentness/replacements.hpp)
  std::uint8_t attempts_max = 0;  // its sender's bound (HND-09); 0: its profile's alone
  bool over = false;              // what it asked for is over, and its record of it gone: nobody acts upon it any more
  bool moves_nothing = false;     // what it says of a task or a review is not so (R5)
  IdKey id_key{};
  base::PackedText id;                       // the sender's, or the one made for it
  absl::InlinedVector<Receipt, 1> receipts;  // rising by agent

  bool expires() const { return expires_at != Instant{}; }
  bool closed() const {
    return std::none_of(receipts.begin(), receipts.end(), [](const Receipt& r) { return open(r.state); });
  }
  // At whom it is open and nobody holds it: there it ends with its time.
  std::vector<AgentNumber> undelivered() const {
    std::vector<AgentNumber> agents;
    for (const Receipt& receipt : receipts)
      if (receipt.state == ReceiptState::queued || receipt.state == ReceiptState::waiting)
        agents.push_back(receipt.agent);
    return agents;
  }
  // Nothing may come of it any more: a dead letter may be redriven, a held message released, an order acknowledged.
  bool settled() const {
    return needed == 0 && std::none_of(receipts.begin(), receipts.end(), [](const Receipt& r) {
             return open(r.state) || r.state == ReceiptState::dead || r.state == ReceiptState::held;
           });
  }
  const Receipt* receipt_of(AgentNumber agent) const {
    const auto at = std::lower_bound(receipts.begin(), receipts.end(), agent,
                                     [](const Receipt& r, AgentNumber a) { return r.agent < a; });
    return at != receipts.end() && at->agent == agent ? &*at : nullptr;
  }
  Receipt* receipt_of(AgentNumber agent) { return const_cast<Receipt*>(std::as_const(*this).receipt_of(agent)); }

  template <class Archive>
  void archive(Archive& a) {
    a(position, length, sender, content, accepted_at, sent_at, expires_at, lane, priority, at_most_once, notice,
      private_, remarked, remembered, needed, linked, attempts_max, over, moves_nothing, id_key, id, receipts);
  }
};

inline Entry entry_of(Offset offset, const Message& message) {
  return {offset, message.lane, message.priority};
}

}  // namespace parley::engine
