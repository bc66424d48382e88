// Snapshots made beside the loop (D3): a thread of their own replays the journal from the newest one into an engine of
// its own and writes its state. Costs the loop a counter a turn. Resource type, owned by the loop's thread.
#pragma once
#include <atomic>
#include <thread>

#include "engine/engine.hpp"
#include "journal/journal.hpp"
#include "observe/log.hpp"

namespace parley::app {

class Snapshots {
 public:
  Snapshots(journal::Journal& journal, engine::RulesetOf ruleset_of, observe::Log& log);
  ~Snapshots();  // gives up the one under way

  // Begins one when enough events came since the last; called after a turn, when all is durable.
  void consider(std::uint64_t events);

 private:
  void begin();

  journal::Journal& journal_;
  engine::RulesetOf ruleset_of_;
  observe::Log& log_;
  std::uint64_t events_at_last_ = 0;
  std::vector<journal::SnapshotInfo> newest_first_;  // the thread's while it runs
  std::atomic<bool> running_{false};
  std::atomic<bool> give_up_{false};
  std::thread thread_;
};

}  // namespace parley::app
