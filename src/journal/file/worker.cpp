#include "journal/file/worker.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/thread.hpp"

namespace parley::journal::file {
namespace {

class ThreadWorker final : public Worker {
 public:
  ThreadWorker() : thread_([this] { run(); }) {}

  ~ThreadWorker() override {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void give(std::function<void()> work) override {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  void finish() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
  }

 private:
  void run() {
    base::stand_back();
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> work = std::exchange(waiting_.front(), {});
      waiting_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

class InlineWorker final : public Worker {
 public:
  void give(std::function<void()> work) override { work(); }
  void finish() override {}
};

}  // namespace

std::unique_ptr<Worker> thread_worker() {
  return std::make_unique<ThreadWorker>();
}

std::unique_ptr<Worker> inline_worker() {
  return std::make_unique<InlineWorker>();
}

}  // namespace parley::journal::file
