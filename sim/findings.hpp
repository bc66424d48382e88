// What is wrong, and the readable trace of how it came to be. The first wrong ends the run. Resource type, one thread.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "sim/virtual_clock.hpp"

namespace parley::sim {

using Place = std::pair<std::uint32_t, std::uint64_t>;  // workspace, offset; a task's is that of its first assignment

class Findings {
 public:
  Findings(VirtualClock& clock, bool verbose) : clock_(clock), verbose_(verbose) {}

  // The oracle's name comes first: "O2: …".
  void wrong(std::string what) {
    trace("WRONG " + what);
    if (first_wrong_.empty()) first_wrong_ = std::move(what);
  }
  void require(bool holds, const Place& place, std::string_view what) {
    if (!holds)
      wrong(std::string(what) + " (workspace " + std::to_string(place.first) + ", offset " +
            std::to_string(place.second) + ")");
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
