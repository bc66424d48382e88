// Which descriptors are ready: Linux's epoll, whose headers stay in reactor.cpp. Readiness comes once for each arming,
// so that whoever runs the loop decides how much each connection may do a turn. A descriptor that is armed again before
// the next wait costs no system call: one is made only when its readiness turns out to be unwanted.
#pragma once
#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/time.hpp"

namespace parley::net {

// Resource type; one thread, except for post and wake.
class Reactor {
 public:
  enum class Ready : std::uint8_t { read, write };
  using OnReady = std::function<void(std::uint64_t token, Ready)>;

  Reactor(base::Clock& clock, OnReady on_ready);
  ~Reactor();

  // A descriptor being watched, and its owner: closed with it, and then not heard of again.
  class Watch {
   public:
    Watch(Reactor& reactor, int descriptor, std::uint64_t token)
        : reactor_(reactor), descriptor_(descriptor), token_(token) {}
    ~Watch();
    int descriptor() const { return descriptor_; }
    void arm(Ready what);  // on_ready will be called once; arming twice is one
    bool is_armed(Ready what) const;

   private:
    friend class Reactor;
    void watch_for(std::uint32_t events);

    Reactor& reactor_;
    const int descriptor_;
    const std::uint64_t token_;
    std::uint32_t wanted_ = 0;   // armed
    std::uint32_t watched_ = 0;  // what the kernel looks for: all of that, and perhaps more
  };

  // Never blocks and calls nobody: whether the next run will have something to do.
  bool look();
  void run_ready();                      // never blocks
  void run_for(base::Duration at_most);  // blocks until something is ready, then as run_ready

  void post(std::function<void()> work);  // any thread: runs on the loop's
  void wake();                            // any thread: ends a run_for
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handle);

 private:
  struct Epoll;
  // Readiness that nobody armed for. Those told a moment ago will be armed again before the next wait.
  enum class Unwanted : std::uint8_t { is_dropped, is_kept };

  void gather(int timeout_ms);
  void dispatch();
  bool all_told() const;
  bool tell_gathered(Unwanted unwanted, base::Duration until);  // whether anybody was told
  bool tell(Watch& watch, std::uint32_t events, Unwanted unwanted);
  void run_posted();
  void run_signals();
  void forget(const Watch& watch);

  base::Clock& clock_;
  const OnReady on_ready_;
  std::unique_ptr<Epoll> epoll_;

  std::atomic<bool> woken_ = false;   // since the last run
  std::atomic<bool> asleep_ = false;  // a wake must say so to the kernel
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::vector<int> signals_;
  std::function<void(int)> on_signal_;
};

}  // namespace parley::net
