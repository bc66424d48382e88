// What the journal says of what set off what, folded by rules of its own (BEY-04): causes come before, steps add up,
// and what is over a bound is held, as nothing else is but for its own sake. Value type but for what it reports to.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class LoopChronicle {
 public:
  LoopChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event);

 private:
  struct Bounds {
    std::uint32_t hops = 16, rounds = 10, messages = 1'000;
    std::optional<double> risk;  // from which on an assignment is held for its own sake (HND-13)
  };
  struct Said {
    std::uint64_t cause = 0, root = 0;
    std::uint32_t sender = 0, hops = 0, gist = 0;
  };

  void set(std::uint32_t workspace, const event::Settings& settings);
  void accept(const Place& place, const event::MessageAccepted& message);
  void check_steps(const Place& place, const event::MessageAccepted& message);
  bool adds_up(const Place& answered, const event::MessageAccepted& message, std::uint32_t more) const;
  bool over(std::uint32_t workspace, const Said& said);
  bool held_for_risk(const Place& place, const event::MessageAccepted& message);
  bool comes_again(std::uint32_t workspace, const Said& said, std::uint32_t rounds);

  Findings& findings_;
  Sightings& sightings_;
  std::map<std::uint32_t, Bounds> bounds_;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<std::uint64_t>> ids_;
  std::map<Place, Said> said_;  // of those that come of another
  std::map<Place, std::uint32_t> accounts_;
};

}  // namespace parley::sim
