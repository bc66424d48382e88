// One run of one seed, in two phases as in TigerBeetle's VOPR: safety while everything fails, then, with all healed,
// liveness: what is in the mailboxes comes to its end within a bound of virtual time.
#pragma once
#include <string>

#include "profile/rulesets.hpp"
#include "sim/natives.hpp"
#include "sim/options.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

struct Outcome {
  std::string wrong;  // empty: the run was right
  std::string head;   // the journal's chain and the state's hash at the end
  Sightings sightings;
  std::uint64_t events = 0;
  double virtual_seconds = 0;
};

Outcome run(const Options& options, const profile::Rulesets& rulesets, const Natives& natives, bool verbose);

}  // namespace parley::sim
