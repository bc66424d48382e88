#include "net/workers.hpp"

#include "base/assert.hpp"
#include "net/loop.hpp"

namespace parley::net {

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

void Workers::deliver() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(delivered_, finished_);
  }
  for (const auto& job : delivered_) job->done();
  delivered_.clear();
}

}  // namespace parley::net
