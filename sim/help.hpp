// What the journal says of requests for help, folded by rules of its own (HND-04): who was asked, once each, with what
// it takes; what is over stays over. Value type but for what it reports to.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class HelpChronicle {
 public:
  enum class State : std::uint32_t {
    asked = 1,
    open,
    together,
    answered,
    unhelped,
    expired,
    withdrawn
  };  // as journaled
  struct Help {
    State state = State::asked;
    std::string id;
    std::uint32_t asker = 0;
    std::string subject;
    std::vector<std::uint32_t> helpers;
    base::Instant deadline{};
    bool over() const { return state >= State::answered; }
  };

  HelpChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event, base::Instant at);
  // What this message asks for is over.
  bool ended(std::uint32_t workspace, std::uint64_t message) const {
    const auto at = helps_.find({workspace, message});
    return at != helps_.end() && at->second.over();
  }
  const Help* find(const Place& place) const {
    const auto at = helps_.find(place);
    return at == helps_.end() ? nullptr : &at->second;
  }
  // The newest of this id.
  std::optional<Place> find(std::uint32_t workspace, const std::string& id) const {
    const auto at = by_id_.find({workspace, id});
    return at == by_id_.end() ? std::nullopt : std::optional(at->second);
  }
  // Nobody waits for who is gone, nor past the deadline.
  void check_all_ended();

 private:
  struct Agent {
    std::set<std::string> capabilities;
    bool removed = false;
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
  std::map<std::pair<std::uint32_t, std::string>, Place> by_id_;
  base::Instant now_{};
};

}  // namespace parley::sim
