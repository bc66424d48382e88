// Which descriptors are ready, without saying how one knows: Asio's io_context, whose headers stay in reactor.cpp.
// Readiness comes once for each arming, so that whoever runs the loop decides how much each connection may do a turn.
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>

#include "base/time.hpp"

namespace parley::net {

// Resource type; one thread, except for post and wake.
class Reactor {
 public:
  enum class Ready : std::uint8_t { read, write };
  using OnReady = std::function<void(std::uint64_t token, Ready)>;

  explicit Reactor(OnReady on_ready);
  ~Reactor();

  // A descriptor being watched, and its owner: closed with it, and then not heard of again.
  class Watch {
   public:
    Watch(Reactor& reactor, int descriptor, std::uint64_t token);
    ~Watch();
    int descriptor() const;
    void arm(Ready what);  // on_ready will be called once; arming twice is one

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

  void run_ready();                      // never blocks
  void run_for(base::Duration at_most);  // blocks until something is ready, then as run_ready

  void post(std::function<void()> work);  // any thread: runs on the loop's
  void wake();                            // any thread: ends a run_for
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handle);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace parley::net
