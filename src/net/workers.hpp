// Threads beside the loop, for work that needs nothing that belongs to the loop's thread. Results come back on it,
// those that are ready together with one wake-up.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace parley::net {

class Loop;

class Job {
 public:
  virtual ~Job() = default;
  virtual void run() = 0;                        // on a worker, or within run_next()
  virtual void done() {}                         // after that, on the loop's thread
  virtual bool is_told() const { return true; }  // of its end, which the loop is woken for; else done() is not called
  // Whether the loop may run it between two other things: some hundred microseconds.
  virtual bool is_short() const { return false; }
};

// Resource type, the loop's thread's. The loop outlives it; it outlives whoever adds jobs. Jobs begin in the order they
// were added; with several threads they may be done in another.
class Workers {
 public:
  Workers(base::Clock& clock, Loop& loop, unsigned threads);
  ~Workers();  // after the jobs under way; those that wait are dropped, and nobody hears of either

  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  void add(std::shared_ptr<Job> job);
  // Runs the first short job that no thread has begun, within the call; false where there is none.
  bool run_next();

 private:
  using Waiting = std::deque<std::shared_ptr<Job>>;
  std::shared_ptr<Job> take(Waiting::iterator waiting);  // under the lock
  void work();
  void deliver();
  std::shared_ptr<Job> next_finished();  // null: none is

  base::Clock& clock_;
  Loop& loop_;
  std::mutex mutex_;
  std::condition_variable work_comes_;
  Waiting waiting_;
  std::deque<std::shared_ptr<Job>> finished_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // the last to be made
};

}  // namespace parley::net
