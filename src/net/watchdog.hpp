// Answers GET /healthz while the loop is busy with something long, a slow sync for one (COR-13: within 500 ms,
// whatever the loop does). A thread of its own watches the loop's heartbeat; only while that is old does it accept
// from the same listening sockets. What it takes and does not answer goes to the loop, with the bytes read.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "net/http/access.hpp"
#include "net/settings.hpp"
#include "observe/metrics.hpp"

namespace parley::net {

// When the loop last began a turn; nothing while it waits. Written by the loop, read by the watchdog.
class Heartbeat {
 public:
  void busy(base::Duration now) { since_us_.store(now.count(), std::memory_order_relaxed); }
  void waiting() { since_us_.store(idle, std::memory_order_relaxed); }
  base::Duration busy_for(base::Duration now) const {
    const auto since = since_us_.load(std::memory_order_relaxed);
    return since == idle ? base::Duration{} : now - base::Duration(since);
  }

 private:
  static constexpr std::int64_t idle = -1;
  std::atomic<std::int64_t> since_us_{idle};
};

// Resource type; owns its thread. What it is given outlives it.
class Watchdog {
 public:
  struct Work {
    base::Clock& clock;  // any thread may ask it
    const Heartbeat& heartbeat;
    observe::Counter& answers;
    LoopSettings settings;                                             // a copy: the loop's may change
    std::vector<int> listening;                                        // not owned
    std::function<void(int descriptor, std::string bytes)> hand_over;  // any thread; owns the descriptor
  };

  explicit Watchdog(Work work);
  ~Watchdog();

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace parley::net
