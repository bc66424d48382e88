// What senders that asked are told of their messages as it becomes so (BEY-01, D7): the newest state of each message at
// each recipient, so that a turn's changes, or those of a slow connection's long wait, are one. Bounded: what finds no
// place is counted, and the sender asks for it. Who does not ask costs nothing. Value type, the broker's.
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include "broker/port/delivery.hpp"
#include "broker/waits.hpp"
#include "engine/engine.hpp"
#include "event/events.pb.h"

namespace parley::broker {

class ReceiptWatch {
 public:
  static constexpr std::size_t pending_max = 10'000;  // of a sender

  explicit ReceiptWatch(engine::RulesetOf ruleset_of) : ruleset_of_(std::move(ruleset_of)) {}

  using Sender = WaitFor;
  void begin(const Sender& sender) { told_.try_emplace(sender); }
  void end(const Sender& sender) {
    told_.erase(sender);
    to_be_told_.erase(sender);
  }

  // Around the event's applier: before it, a message that may leave the state with it is still there.
  void before(const engine::State& state, const event::Event& event);
  void after(const engine::State& state, base::Instant now);

  std::vector<Sender> to_be_told() const { return {to_be_told_.begin(), to_be_told_.end()}; }
  // At most so many, in the order of their messages; with the last of them what found no place.
  struct Told {
    std::vector<ReceiptChange> changes;
    std::uint64_t left_out = 0;
  };
  Told take(const Sender& sender, std::size_t most);

 private:
  // One receipt that an event touches. `final`: its state, where the event ends the message and it is gone.
  struct Touched {
    Sender sender;
    base::Offset offset;
    base::AgentNumber recipient;
    engine::ReceiptState final{};
    std::string message_id;
  };
  struct Pending {
    absl::btree_map<std::pair<base::Offset, base::AgentNumber>, ReceiptChange> changes;
    std::uint64_t left_out = 0;
  };

  void touch(base::WorkspaceNumber, const engine::Workspace&, base::Offset, base::AgentNumber, engine::ReceiptState);
  void touch_new(base::WorkspaceNumber, base::Offset, const event::MessageAccepted&);
  void touch_later(base::WorkspaceNumber, const engine::Workspace&, base::Offset, base::AgentNumber);

  engine::RulesetOf ruleset_of_;
  absl::btree_map<Sender, Pending> told_;
  absl::btree_set<Sender> to_be_told_;  // those of whom changes are pending
  std::vector<Touched> touched_;        // by the event that is being applied
};

}  // namespace parley::broker
