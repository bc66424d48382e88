#include "net/workers.hpp"

#include "base/assert.hpp"
#include "base/thread.hpp"
#include "net/loop.hpp"

namespace parley::net {
namespace {

constexpr base::Duration delivering_max = std::chrono::milliseconds(1);

}  // namespace

Workers::Workers(base::Clock& clock, Loop& loop, unsigned threads) : clock_(clock), loop_(loop) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_comes_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::add(std::shared_ptr<Job> job) {
  PARLEY_ASSERT(!threads_.empty());
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  work_comes_.notify_one();
}

bool Workers::run_next() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty() || !waiting_.front()->is_short()) return false;
  const auto job = take_waiting();
  lock.unlock();
  job->run();
  job->done();
  return true;
}

std::shared_ptr<Job> Workers::take_waiting() {
  std::shared_ptr<Job> job = std::move(waiting_.front());
  waiting_.pop_front();
  return job;
}

void Workers::work() {
  base::stand_back();
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    auto job = take_waiting();
    lock.unlock();
    job->run();
    lock.lock();
    finished_.push_back(std::move(job));
    if (finished_.size() > 1) continue;  // the loop has been called, and has not come yet
    lock.unlock();
    loop_.post([this] { deliver(); });
    lock.lock();
  }
}

std::shared_ptr<Job> Workers::next_finished() {
  const std::lock_guard lock(mutex_);
  if (finished_.empty()) return nullptr;
  std::shared_ptr<Job> job = std::move(finished_.front());
  finished_.pop_front();
  return job;
}

// As many as there is time for: what a frame of many messages brings takes milliseconds, and the loop has others to
// serve (D11). Whoever finishes the first one meanwhile calls the loop too, which then finds none.
void Workers::deliver() {
  const base::Duration until = clock_.monotonic() + delivering_max;
  do {
    const auto job = next_finished();
    if (!job) return;
    job->done();
  } while (clock_.monotonic() < until);
  loop_.post([this] { deliver(); });
}

}  // namespace parley::net
