// What the journal says of approvals, folded by rules of its own (SUP-04, SUP-05): each is decided once, by a person,
// or ends by time; a held message goes out by the decision and by nothing else. Value type but for what it reports to.
#pragma once
#include <map>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class ApprovalChronicle {
 public:
  ApprovalChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event, base::Instant at);
  // No decision is awaited whose time is over.
  void check_all_ended();

 private:
  enum class State : std::uint32_t {
    open = 1,
    escalated,
    approved,
    rejected,
    modified,
    lapsed,
    withdrawn
  };  // as journaled
  struct Approval {
    State state = State::open;
    std::uint32_t asker = 0;
    bool holds = false;
    bool settled = false;  // what it held went out, or never will
    base::Duration timeout{};
    base::Instant due{};
    bool waits() const { return state <= State::escalated; }
  };

  Approval* known(const Place& place);
  void open(const Place& place, const event::MessageAccepted& message, base::Instant at);
  void open(const Place& place, const event::TaskMoved& moved, base::Instant at);
  void decide(const Place& place, const event::Event& event);
  void time_out(const Place& place, State to, base::Instant due, base::Instant at);
  void settle(const Place& place, bool released);

  Findings& findings_;
  Sightings& sightings_;
  std::map<Place, Approval> approvals_;
  base::Instant now_{};
};

}  // namespace parley::sim
