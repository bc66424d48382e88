// What the journal says of collaborations, folded by rules of its own (HND-04): opened once by whoever helps and meets,
// about a request for help that is open; said in by who takes part, to who takes part; closed when that request ends or
// goes on to another. Value type but for what it reports to.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/help.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class CollaborationChronicle {
 public:
  CollaborationChronicle(Findings& findings, Sightings& sightings, const HelpChronicle& help)
      : findings_(findings), sightings_(sightings), help_(help) {}

  // Before the event is folded into the requests for help: what it is said in is what was open until then.
  void fold(const event::Event& event);
  std::size_t open(std::uint32_t workspace) const;

 private:
  struct Collaboration {
    Place help;
    std::uint32_t asker = 0, helper = 0;
  };
  using Found = std::optional<std::uint64_t>;  // the offset of the message that opened it

  void follow(const Place& place, const event::MessageAccepted& message);
  bool is_open(const Collaboration& collaboration) const;
  Found open_about(const Place& help) const;
  Found open_under(std::uint32_t workspace, const std::string& id) const;
  Found said_in(const Place& place, const event::MessageAccepted& message) const;

  Findings& findings_;
  Sightings& sightings_;
  const HelpChronicle& help_;
  std::map<Place, Collaboration> all_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> by_id_;
};

}  // namespace parley::sim
