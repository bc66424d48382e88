// One agent's mailbox: which message comes next. Value type, part of the engine's state.
//
// Four priority levels; within a level the oldest first. A lane (R32) is first in, first out whatever its priorities,
// stands at the highest priority waiting in it, and is blocked while its head is leased to another session or backs
// off. No level starves (fairness.hpp).
// What happened to a message at its recipient is in the message's Receipt; here is only the order.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "engine/mailboxes/fairness.hpp"
#include "engine/mailboxes/lane.hpp"
#include "envelope/envelope.hpp"

namespace parley::engine {

using base::Instant;
using base::LaneId;
using base::Offset;
using base::SessionId;
using envelope::Priority;

// Where a message stands in a mailbox.
struct Entry {
  Offset offset;
  LaneId lane;  // 0: a lane of its own
  Priority priority = Priority::normal;
};

// Sessions are connections or single HTTP takes; connections do not outlive the server.
constexpr bool is_connection(SessionId session) {
  return session.value >> 63 != 0;
}

// Something that can be offered next: a single message, or a lane by its head.
struct Standing {
  Offset head;
  LaneId lane;
  friend auto operator<=>(const Standing&, const Standing&) = default;

  template <class Archive>
  void archive(Archive& a) {
    a(head, lane);
  }
};
using StandingSet = absl::btree_set<Standing>;

// What may be offered at one priority: to anyone, and what only the session that holds its lane's head may get.
struct Level {
  StandingSet free;
  absl::btree_map<SessionId, StandingSet> held;

  template <class Archive>
  void archive(Archive& a) {
    a(free, held);
  }
};

// Never walked but for what is sorted afterwards (D2). The hash is seeded, for senders choose the names of tasks; a
// table that grows moves 40 bytes a lane (D11): 4 MB at a mailbox's bound.
struct LaneHash {
  std::size_t operator()(LaneId id) const { return absl::HashOf(id.value); }
};
using Lanes = absl::flat_hash_map<LaneId, Lane, LaneHash>;

class Mailbox {
 public:
  void queue(const Entry& entry);                                              // a new one, or one given back
  void offer(const Entry& entry, SessionId session, bool final, Instant now);  // final: no lease (R20)
  void settle(const Entry& entry, SessionId session);                          // leased → gone
  void give_back(const Entry& entry, SessionId session);                       // leased → waiting
  void hold_back(const Entry& entry, SessionId session);                       // leased → backing off
  void resume(const Entry& entry);                                             // backing off → waiting
  void drop(const Entry& entry);                                               // waiting → gone

  // Leased messages of the entry's lane that were sent after it: they go back with it, uncounted (R32).
  std::vector<Offset> leased_after(const Entry& entry) const;
  // The first so many.
  std::vector<Offset> leased_to(SessionId session, std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  std::size_t leased_count(SessionId session) const;
  std::vector<SessionId> sessions() const;  // those that hold leases
  std::vector<Offset> open() const;         // everything in it, rising; in parts: open_messages.hpp

  std::array<bool, envelope::priority_count> ready(SessionId session) const;
  bool anything_ready(SessionId session) const;

  const std::array<Level, envelope::priority_count>& levels() const { return levels_; }
  const Lanes& lanes() const { return lanes_; }
  const absl::btree_map<SessionId, absl::btree_set<Offset>>& leased() const { return leased_; }
  const StandingSet& backing_off() const { return backing_off_; }
  const Fairness& fairness() const { return fairness_; }

  template <class Archive>
  void archive(Archive& a) {
    a(levels_, lanes_, leased_, backing_off_, fairness_);
  }

 private:
  template <class Change>
  void change_lane(LaneId id, Change change);
  void stand_at(Priority level, SessionId session, Standing standing);
  void unstand_from(Priority level, SessionId session, Standing standing);
  void lease(Offset offset, SessionId session);
  void unlease(Offset offset, SessionId session);

  std::array<Level, envelope::priority_count> levels_;
  Lanes lanes_;
  absl::btree_map<SessionId, absl::btree_set<Offset>> leased_;
  StandingSet backing_off_;  // singles, and lanes by their heads
  Fairness fairness_;
};

// Where a lane stands now: nowhere while its head backs off, or where it has nothing waiting.
struct LanePlace {
  bool stands = false;
  bool backs_off = false;
  Priority level = Priority::low;
  SessionId session;  // 0: anyone's
  Standing standing;
  friend bool operator==(const LanePlace&, const LanePlace&) = default;
};
LanePlace place_of(LaneId id, const Lane& lane);

}  // namespace parley::engine
