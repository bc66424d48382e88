#include "net/workers.hpp"

#include <algorithm>
#include <iterator>

#include "base/assert.hpp"
#include "net/loop.hpp"

namespace parley::net {
namespace {

constexpr std::size_t jobs_a_call = 2;

}  // namespace

Workers::Workers(Loop& loop, unsigned threads) : loop_(loop) {
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

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    std::shared_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
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

// Some at a time: what a frame of many messages brings takes milliseconds, and the loop has others to serve (D11).
void Workers::deliver() {
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    const auto end = finished_.begin() + static_cast<std::ptrdiff_t>(std::min(finished_.size(), jobs_a_call));
    delivered_.assign(std::move_iterator(finished_.begin()), std::move_iterator(end));
    finished_.erase(finished_.begin(), end);
    more = !finished_.empty();
  }
  if (more) loop_.post([this] { deliver(); });
  for (const auto& job : delivered_) job->done();
  delivered_.clear();
}

}  // namespace parley::net
