// What the journal says of errors that wait for decisions, folded by rules of its own (PIP-11, R18): reported by the
// agent itself, decided once, by an orchestrator, to the agent that waits.
#pragma once
#include <map>
#include <set>
#include <string>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class ErrorChronicle {
 public:
  ErrorChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event);

 private:
  using AgentOf = std::pair<std::uint32_t, std::uint32_t>;  // workspace, agent

  void fold(const Place& place, const event::MessageAccepted& message);
  void report(const Place& place, const event::MessageAccepted& message);
  void decide(const Place& place, const event::MessageAccepted& message);

  Findings& findings_;
  Sightings& sightings_;
  std::map<AgentOf, std::string> roles_;
  std::map<Place, std::uint32_t> waiting_;  // whose
};

}  // namespace parley::sim
