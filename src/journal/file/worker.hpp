// Where work is done that the loop must not wait for: a thread in the server, at once and in order in the simulator.
#pragma once
#include <functional>
#include <memory>

namespace parley::journal::file {

class Worker {
 public:
  virtual ~Worker() = default;  // after the last work given to it has ended
  virtual void give(std::function<void()> work) = 0;
  virtual void finish() = 0;  // returns when all work given so far is done
};

std::unique_ptr<Worker> thread_worker();
std::unique_ptr<Worker> inline_worker();  // works within give(): deterministic

}  // namespace parley::journal::file
