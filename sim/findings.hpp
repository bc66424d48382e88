// What is wrong, and the readable trace of how it came to be. The first wrong ends the run. Resource type, one thread.
#pragma once
#include <cstdio>
#include <string>

#include "sim/virtual_clock.hpp"

namespace parley::sim {

class Findings {
 public:
  Findings(VirtualClock& clock, bool verbose) : clock_(clock), verbose_(verbose) {}

  // The oracle's name comes first: "O2: …".
  void wrong(std::string what) {
    trace("WRONG " + what);
    if (first_wrong_.empty()) first_wrong_ = std::move(what);
  }
  bool clean() const { return first_wrong_.empty(); }
  const std::string& first_wrong() const { return first_wrong_; }

  bool verbose() const { return verbose_; }
  void trace(const std::string& line) const {
    if (!verbose_) return;
    std::printf("%10.3f s  %s\n", static_cast<double>(clock_.passed().count()) / 1e6, line.c_str());
  }

 private:
  VirtualClock& clock_;
  bool verbose_;
  std::string first_wrong_;
};

}  // namespace parley::sim
