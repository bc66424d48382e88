#include "net/workers.hpp"

#include <algorithm>

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
  const auto first = std::ranges::find_if(waiting_, [](const auto& job) { return job->is_short(); });
  if (first == waiting_.end()) return false;
  const auto job = take(first);
  lock.unlock();
  job->run();
  if (job->is_told()) job->done();
  return true;
}

std::shared_ptr<Job> Workers::take(Waiting::iterator waiting) {
  std::shared_ptr<Job> job = std::move(*waiting);
  waiting_.erase(waiting);
  return job;
}

void Workers::work() {
  base::stand_back();
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    auto job = take(waiting_.begin());
    lock.unlock();
    job->run();
    if (!job->is_told()) job.reset();
    lock.lock();
    if (!job) continue;
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
