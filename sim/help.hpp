// What the journal says of requests for help, folded by rules of its own (HND-04): who was asked, once each, with what
// it takes; what is over stays over. Value type but for what it reports to.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class HelpChronicle {
 public:
  HelpChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event, base::Instant at);
  // What this message asks for is over.
  bool ended(std::uint32_t workspace, std::uint64_t message) const {
    const auto at = helps_.find({workspace, message});
    return at != helps_.end() && at->second.over();
  }
  // Nobody waits for who is gone, nor past the deadline.
  void check_all_ended();

 private:
  enum class State : std::uint32_t {
    asked = 1,
    open,
    together,
    answered,
    unhelped,
    expired,
    withdrawn
  };  // as journaled
  struct Agent {
    std::set<std::string> capabilities;
    bool removed = false;
  };
  struct Help {
    State state = State::asked;
    std::string id;
    std::uint32_t asker = 0;
    std::string subject;
    std::vector<std::uint32_t> helpers;
    base::Instant deadline{};
    bool over() const { return state >= State::answered; }
  };

  void follow(const Place& place, const event::MessageAccepted& message);
  void ask(const Place& place, const event::MessageAccepted& message);
  void answer(const Place& at, const event::MessageAccepted& message);
  void move(const Place& place, const event::HelpMoved& moved);
  void come_to(const Place& place, Help& help, const event::HelpMoved& moved);
  bool removed(std::uint32_t workspace, std::uint32_t agent) { return agents_[{workspace, agent}].removed; }

  Findings& findings_;
  Sightings& sightings_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Agent> agents_;
  std::map<Place, Help> helps_;
  base::Instant now_{};
};

}  // namespace parley::sim
