// What the journal says of errors that wait for decisions, folded by rules of its own (PIP-11, R18): reported by the
// agent itself, decided once, by an orchestrator, to the agent that waits; and what was refused was not to be accepted.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "event/events.pb.h"
#include "json/value.hpp"
#include "sim/findings.hpp"
#include "sim/refusals.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

// A message of 001 that was refused for an error that waits, or that does not.
struct ErrorWord {
  std::uint32_t sender = 0;
  std::string to;  // a name, or `all`
  std::string id;  // of the error that it names; empty: none
  base::ErrorCode code{};
};
ErrorWord error_word(json::Value message);

class ErrorChronicle {
 public:
  struct Waiting {
    std::uint32_t agent = 0;  // whose
    std::string id;
  };

  ErrorChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event);
  // Decided when the workspace's newest event was the one at `head`, which may not be folded yet, or be lost.
  void refused(std::uint32_t workspace, std::uint64_t head, ErrorWord word);

  const std::map<Place, Waiting>& waiting() const { return waiting_; }

 private:
  using AgentOf = std::pair<std::uint32_t, std::uint32_t>;  // workspace, agent
  struct Workspace {
    std::uint64_t head = 0;
    std::map<std::string, std::uint32_t, std::less<>> agents;  // those that are here
    Refusals<ErrorWord> refused;
  };

  void fold(const Place& place, const event::MessageAccepted& message);
  void report(const Place& place, const event::MessageAccepted& message);
  void decide(const Place& place, const event::MessageAccepted& message);
  void judge_refusals(std::uint32_t number, Workspace& workspace);
  bool is_right(std::uint32_t number, const Workspace& workspace, const ErrorWord& word) const;
  bool waits(std::uint32_t workspace, std::uint32_t agent, const std::string& id) const;
  std::ptrdiff_t count_of(std::uint32_t workspace, std::uint32_t agent) const;
  void remove(std::uint32_t workspace, std::uint32_t agent);

  Findings& findings_;
  Sightings& sightings_;
  std::map<std::uint32_t, Workspace> workspaces_;
  std::map<AgentOf, std::string> roles_;
  std::map<Place, Waiting> waiting_;
};

}  // namespace parley::sim
