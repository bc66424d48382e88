// What the journal says of agents' health, folded by rules of its own (HND-05, SUP-07, R40): who said what of itself,
// and when it last did anything that counts. Its own too are the profiles' words and times.
#pragma once
#include <map>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"
#include "sim/tasks.hpp"

namespace parley::sim {

class HealthChronicle {
 public:
  HealthChronicle(Findings& findings, Sightings& sightings, const TaskChronicle& tasks)
      : findings_(findings), sightings_(sightings), tasks_before_(tasks) {}

  // Before the tasks'.
  void fold(const event::Event& event, base::Instant at);

 private:
  struct Agent {
    std::string profile;
    std::string word;  // its own newest; "silent" where the server found it so; empty: none
    base::Instant beat{};
    base::Instant available{};
  };
  using Who = std::pair<std::uint32_t, std::uint32_t>;  // workspace, agent

  void fold(std::uint32_t workspace, const event::MessageAccepted& message, base::Instant at);
  void check_work(std::uint32_t workspace, const event::MessageAccepted& message, base::Instant at);
  void fold(const Who& who, const event::AgentHealthChanged& changed, base::Instant at);
  void require(bool holds, const Who& who, const std::string& what);

  Findings& findings_;
  Sightings& sightings_;
  const TaskChronicle& tasks_before_;
  std::map<Who, Agent> agents_;
};

}  // namespace parley::sim
