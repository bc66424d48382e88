// The loop's heart: what is asked is decided at once, applied, and gathered into a block; the block goes to the
// journal, and what was answered leaves when it is synced. Resource type, one thread (D8); knows no socket. Stops for
// good when the journal fails (D3).
//
//   decide ─► apply ─► block ─► commit(): append + sync ─► open_gate()
#pragma once
#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "broker/block.hpp"
#include "broker/history.hpp"
#include "broker/later_turns.hpp"
#include "broker/port/call.hpp"
#include "broker/receipt_watch.hpp"
#include "broker/time_source.hpp"
#include "broker/waits.hpp"
#include "engine/engine.hpp"
#include "ingress/check.hpp"
#include "journal/journal.hpp"

namespace parley::broker {

struct Options {
  base::Digest admin_token_hash{};
  std::size_t cache_bytes = 64u << 20;      // of committed blocks, for deliveries
  std::size_t block_bytes = 16u << 20;      // a block that grows over it is committed at once
  std::size_t gathered_bytes = 128u << 10;  // a block that has as many waits for nothing more
  std::size_t deliveries_a_turn = 1'000;    // to all sessions together (D11), and receipts in one frame
  std::size_t step_messages = 1'000;        // that one turn bounces or takes back (D11)
  // D11: what a turn's messages may come to, and once more those that were put off.
  std::size_t copies_a_turn = engine::copies_a_turn;           // beyond a first one of each message
  base::Duration time_a_turn = std::chrono::milliseconds(15);  // a frame of 1,000 fits on a slow machine
};

// What a message asks the journal for: its own bytes, and what its event may come to. Small ones all ask for the same,
// so that /readyz and the log say what becomes of them (B4).
constexpr std::uint64_t message_room(std::uint64_t bytes = 0) {
  constexpr std::uint64_t event_bytes_max = 64u << 10, small = 4u << 10;
  return std::max(bytes, small) + event_bytes_max;
}

// What the broker works with; all outlive it.
struct Parts {
  base::Clock& clock;
  base::Random& random;
  journal::Journal& journal;
  engine::RulesetOf ruleset_of;
};

struct Recovery {
  std::uint64_t events = 0;  // replayed
  bool from_snapshot = false;
  base::Duration downtime{};
  base::Duration ahead{};                      // how far the journal's time is ahead of the wall's
  std::vector<base::Error> refused_snapshots;  // the one before, or replay, stood in
};

struct Counts {
  absl::btree_map<std::string, std::uint64_t> accepted;           // by the sender's profile
  std::array<std::uint64_t, base::error_infos.size()> refused{};  // by ErrorCode
  std::uint64_t duplicates = 0, offered = 0, acked = 0, nacked = 0, expired = 0, dead_letters = 0, blocks = 0,
                events = 0;
  base::Duration suspended{};  // how long the machine was, since the start
};

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<base::Result<T>> = true;

class Core final : private journal::Outcomes {
 public:
  Core(const Parts& parts, const Options& options);
  ~Core() override;

  // Reads the newest snapshot and what came after it, then decides the start. Before anything else.
  base::Result<Recovery> start();
  // In order: the journal knows up to when the server was there (C2), however long it was idle. Not where it has no
  // room for that.
  base::Result<> stop();

  const Parts& parts() const { return parts_; }
  const Options& options() const { return options_; }
  const engine::Engine& engine() const { return engine_; }
  const engine::State& state() const { return engine_.state(); }
  History& history() { return history_; }
  const Block& block() const { return *block_; }
  const engine::RulesetOf& ruleset_of() const { return parts_.ruleset_of; }
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }
  base::Instant now() { return time_.now(); }  // engine time goes on within a block; what is decided has the block's
  engine::Context context();

  // Decides, and records what it comes to where the journal has room for it; else refuses, and nothing has happened.
  // The facts say who asked, where somebody did.
  template <class Command>
  auto decide(const Command& command, journal::Need need, const Caller* caller = nullptr) {
    using Given = decltype(engine_.decide(command, context(), decided_));
    using Outcome = std::conditional_t<is_result<Given>, Given, base::Result<Given>>;
    if (auto begun = begin_decision(); !begun) return Outcome(std::unexpected(std::move(begun).error()));
    if constexpr (std::is_void_v<Given>) {
      engine_.decide(command, context(), decided_);
      return record_if_room(need);
    } else {
      Outcome outcome = engine_.decide(command, context(), decided_);
      if (caller) name_actor(*caller);
      if (auto room = record_if_room(need); !room) outcome = std::unexpected(std::move(room).error());
      return outcome;
    }
  }
  template <class Command>
  auto decide_for(const Caller& caller, const Command& command, journal::Need need = journal::Need::growth) {
    static_assert(!std::is_void_v<decltype(engine_.decide(command, context(), decided_))>, "only time has no actor");
    return decide(command, need, &caller);
  }

  // Of who decides by engine() itself: into decided(), emptied first, and then by one of these.
  engine::Decided& decided() { return decided_; }
  void record(std::string_view native, const base::Digest& native_hash, const SharedBytes& shared = {});
  base::Result<> record_if_room(journal::Need need);

  journal::Room room_for(std::uint64_t bytes, journal::Need need) const;  // beside what the block has
  base::Result<> check_room(std::uint64_t bytes, journal::Need need) const;
  base::Result<> commit();
  base::Result<> commit_if_full(std::size_t more_bytes = 0);  // a block has one engine time, and a size

  // The output gate: runs `then` when everything decided so far is durable; never, where the journal fails.
  void after_sync(std::move_only_function<void()> then);
  void open_gate();  // to what has become durable

  // What time brings (duties.cpp): before a turn's calls, behind them, and when the machine was suspended, for how
  // long.
  void carry_out_duties(const engine::PolledAt& polled);
  void forget_old();
  base::Duration catch_up_with_time();
  std::optional<base::Instant> next_duty() const;

  // A turn: what the journal has done meanwhile; and, at its end, that nothing of it is looked at any more.
  base::Result<> poll();
  void begin_turn() { inflate_left_ = ingress::inflated_max; }
  void end_turn();
  bool syncing() const { return durable_ < committed_; }
  bool idle() const { return later_.empty() && (syncing() || (block_->empty() && gated_.empty())); }

  // Whether the next commit is of a small block, or of none yet, in which there is room for what comes soon.
  bool gathers() const {
    return block_->bytes() < options_.gathered_bytes && !syncing() && !turn_is_full() && later_.empty();
  }

  // Of what was decided: how many agents it is for, or were looked at for it.
  void count_reach(std::size_t agents) { copies_ += agents > 0 ? agents - 1 : 0; }
  void count_time(base::Duration taken) { taken_ += taken; }  // for a message, by the loop itself
  bool goes_on() const { return goes_on_; }                   // with what was put off
  bool turn_is_full() const { return copies_ >= options_.copies_a_turn || taken_ >= options_.time_a_turn; }
  LaterTurns& later() { return later_; }
  void go_on();  // with what was put off, one after the other; new calls find as much room again

  // P9, B3: what was accepted cannot be read. The server stops before anybody is told of it.
  void fail(base::Error why) { failure_ = std::move(why); }
  const std::optional<base::Error>& failure() const { return failure_; }

  // What facts have changed: mailboxes, logs and ends of tasks, for whoever waits for them; receipts; and a number that
  // rises where senders may have to be admitted anew.
  absl::btree_set<WaitFor>& touched() { return touched_; }
  const absl::btree_set<WaitFor>& touched() const { return touched_; }
  ReceiptWatch& receipts() { return receipt_watch_; }
  std::uint64_t admissions() const { return admissions_; }
  std::size_t& inflate_left() { return inflate_left_; }

  // Tokens are random, and only their hash is kept (D10).
  std::string fresh_token(base::Digest& hash);
  std::uint64_t random() { return parts_.random.next(); }

 private:
  struct Gated {
    base::Position until;
    std::move_only_function<void()> then;
  };

  // journal::Outcomes
  void durable_up_to(base::Position position) override;
  void ended(journal::Outcome outcome, const base::Error& why) override;

  base::Result<> begin_decision();
  void name_actor(const Caller& caller);
  void note_touched(const event::Event& event);
  void count(const event::Event& event);
  std::uint64_t block_bytes() const;
  void put_off_duties();
  void begin_counting() { copies_ = 0, taken_ = {}; }

  const Parts parts_;
  const Options options_;
  TimeSource time_;
  engine::Engine engine_;
  engine::Decided decided_;
  std::shared_ptr<Block> block_;
  History history_;
  std::optional<base::Instant> block_time_;  // one engine time a block
  std::uint64_t block_seed_ = 0;
  base::Position committed_;  // handed to the journal
  base::Position durable_;
  std::optional<base::Error> failure_;
  base::Instant duties_put_off_until_;  // not even the last reserve had room for them
  // Bytes that compressed contents may still come to in this turn (R27).
  std::size_t inflate_left_ = ingress::inflated_max;
  std::vector<journal::Record> records_;
  std::deque<Gated> gated_;
  std::size_t copies_ = 0;  // of this turn
  base::Duration taken_{};  // likewise
  bool goes_on_ = false;
  LaterTurns later_;
  absl::btree_set<WaitFor> touched_;
  ReceiptWatch receipt_watch_{parts_.ruleset_of};
  std::uint64_t admissions_ = 1;
  Counts counts_;
};

}  // namespace parley::broker
