// Snapshots made beside the loop (D3): a thread of their own replays the journal from the newest one into an engine of
// its own and writes its state. Costs the loop a counter a turn. Resource type, owned by the loop's thread.
#pragma once
#include <atomic>
#include <functional>
#include <thread>

#include "engine/engine.hpp"
#include "journal/journal.hpp"
#include "observe/log.hpp"

namespace parley::app {

class Snapshots {
 public:
  struct When {
    std::uint64_t events = 1'000'000;                // since the last one
    base::Duration apart = std::chrono::minutes(1);  // the begins of two, as the begin of the first from the start
    std::uint64_t events_at_most = 4'000'000;        // then at once: some 12 s of the next start
    std::uint64_t events_at_stop = 100'000;          // about half a second of the next start
    std::size_t messages_at_stop = 1'000'000;        // at most: a larger state takes longer than a stop may
  };
  // `last`: where the newest one stands that the server began with, at `now`; monotonic, as all times here.
  Snapshots(journal::Journal& journal, engine::RulesetOf ruleset_of, observe::Log& log, base::Position last,
            base::Duration now, const When& when);
  ~Snapshots();  // gives up

  // Begins one when the journal has enough events since the last, in whatever life of the process they came. It costs
  // about as much as deciding them did: who writes a million in seconds needs the processor more than a short next
  // start, up to a bound. Called after a turn; a sync that is under way is waited for. Whether one began.
  bool consider(base::Duration now);
  void wait() const { running_.wait(true); }  // for the end of the one under way
  // At an orderly stop, when all is durable: where the next start would have much to replay, the state goes into one
  // at once; given up at the deadline.
  void finish(const engine::Engine& engine, const std::function<bool()>& out_of_time);
  // The last call: the one under way is dropped, soon; none runs afterwards.
  void give_up();

 private:
  bool begin();
  std::uint64_t since_last() const { return journal_.head().position.value - last_.value; }

  journal::Journal& journal_;
  engine::RulesetOf ruleset_of_;
  observe::Log& log_;
  base::Position last_;
  base::Duration begun_;  // the last one, else the start
  const When when_;
  std::vector<journal::SnapshotInfo> newest_first_;  // the thread's while it runs
  std::atomic<bool> running_{false};
  std::atomic<bool> give_up_{false};
  std::thread thread_;
};

}  // namespace parley::app
