#include "journal/file/syncer.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "base/thread.hpp"

namespace parley::journal::file {

void InlineSyncer::begin(Storing& what, std::uint64_t) {
  PARLEY_ASSERT(!outcome_);
  outcome_ = what.run();
}

std::optional<base::Result<>> InlineSyncer::outcome() {
  return std::exchange(outcome_, std::nullopt);
}

base::Result<> InlineSyncer::wait() {
  PARLEY_ASSERT(outcome_.has_value());
  return *std::exchange(outcome_, std::nullopt);
}

// A place for what is on its way to the thread, and one for the outcome on its way back.
struct BesideSyncer::Thread {
  std::function<void()> wake;
  std::mutex mutex;
  std::condition_variable begun, ended;
  Storing* what = nullptr;
  std::optional<base::Result<>> outcome;
  bool ending = false;
  std::thread thread;

  explicit Thread(std::function<void()> w) : wake(std::move(w)), thread([this] { run(); }) {}

  ~Thread() {
    {
      const std::scoped_lock lock(mutex);
      ending = true;
    }
    begun.notify_one();
    thread.join();
  }

  void run() {
    base::stand_back();
    std::unique_lock lock(mutex);
    while (true) {
      begun.wait(lock, [this] { return ending || what != nullptr; });
      if (what == nullptr) return;
      Storing& next = *std::exchange(what, nullptr);
      lock.unlock();
      auto result = next.run();
      lock.lock();
      outcome = std::move(result);
      lock.unlock();
      ended.notify_one();
      wake();
      lock.lock();
    }
  }
};

BesideSyncer::BesideSyncer(Setup setup) : setup_(std::move(setup)) {}
BesideSyncer::~BesideSyncer() = default;

void BesideSyncer::begin(Storing& what, std::uint64_t bytes) {
  began_ = setup_.clock->monotonic();
  if (bytes < setup_.bytes_min || !setup_.loop_has_more()) {
    here_ = what.run();
    return;
  }
  if (!thread_) thread_ = std::make_unique<Thread>(setup_.wake);
  {
    const std::scoped_lock lock(thread_->mutex);
    PARLEY_ASSERT(thread_->what == nullptr && !thread_->outcome);
    thread_->what = &what;
  }
  thread_->begun.notify_one();
}

std::optional<base::Result<>> BesideSyncer::outcome() {
  if (!here_) {
    const std::scoped_lock lock(thread_->mutex);
    if (!thread_->outcome && setup_.clock->monotonic() - began_ < setup_.patience) return std::nullopt;
  }
  return wait();
}

base::Result<> BesideSyncer::wait() {
  auto result = std::exchange(here_, std::nullopt);
  if (!result) {
    std::unique_lock lock(thread_->mutex);
    thread_->ended.wait(lock, [this] { return thread_->outcome.has_value(); });
    result = std::exchange(thread_->outcome, std::nullopt);
  }
  took_ = setup_.clock->monotonic() - began_;
  return std::move(*result);
}

base::Duration BesideSyncer::last_took() const {
  return took_;
}

}  // namespace parley::journal::file
