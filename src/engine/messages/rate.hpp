// How many messages an agent had accepted lately, for the limit on its rate (MSH-15, R43): a sliding window, in engine
// time. A message counts until a time that its event names, a step of the window past the window's end at most, so that
// no window ever holds more than the limit and an agent needs few places. Value types, part of the engine's state.
#pragma once
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "profile/ruleset.hpp"

namespace parley::engine {

struct Settings;
using base::Instant;

// The workspace's limit where it sets one, else the profile's.
profile::RateLimit rate_of(const Settings& settings, const profile::Ruleset& ruleset);

// When a message accepted now no longer counts.
Instant counts_until(const profile::RateLimit& rate, Instant now);

class SentLately {
 public:
  std::uint32_t count(Instant now) const;
  Instant first_to_go(Instant now) const;  // `now` where nothing counts
  void add(Instant until, Instant now);

  template <class Archive>
  void archive(Archive& a) {
    a(steps_);
  }

 private:
  struct Step {
    Instant until;
    std::uint32_t messages = 0;

    template <class Archive>
    void archive(Archive& a) {
      a(until, messages);
    }
  };

  std::vector<Step> steps_;  // rising
};

}  // namespace parley::engine
