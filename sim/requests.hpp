// What the journal says of requests, folded by rules of its own (PIP-08, MSH-03): who was asked and has not answered,
// and until when. What the server then says is the chronicle's.
#pragma once
#include <map>
#include <set>

#include "event/events.pb.h"
#include "sim/findings.hpp"
#include "sim/sightings.hpp"

namespace parley::sim {

class RequestChronicle {
 public:
  RequestChronicle(Findings& findings, Sightings& sightings) : findings_(findings), sightings_(sightings) {}

  void fold(const event::Event& event, base::Instant at);

  std::size_t open() const { return open_.size(); }

  bool is_open(const Place& place) const { return open_.contains(place); }
  // It ended there without being read: no reply comes from there (BEY-01).
  void lost(const Place& place, std::uint32_t agent);
  void comes_again(const Place& place, std::uint32_t agent);

 private:
  struct Asked {
    std::string id;
    std::uint32_t asker = 0;
    std::set<std::uint32_t> waiting;
    base::Duration timeout{};
    base::Instant due{};
    bool reply_by = false;
    std::string task{};
    bool is_order = false;
    std::set<std::uint32_t> never_got{};             // it ended there unread, and nobody waits for them
    std::map<std::uint32_t, std::uint32_t> sends{};  // more than the first
    std::map<std::uint32_t, base::Instant> again{};  // when the next is; 0: it was
  };

  void fold(std::uint32_t workspace, std::uint64_t offset, const event::MessageAccepted& message, base::Instant at);
  bool waits_for_itself(std::uint32_t workspace, const Asked& request, const std::string& asked_back) const;
  void end_order(std::uint32_t workspace, const std::string& task, std::uint32_t state);
  void postpone(std::uint32_t workspace, const event::RequestPostponed& event, base::Instant at);
  Asked* asked(const Place& place);

  Findings& findings_;
  Sightings& sightings_;
  std::map<Place, Asked> open_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> orders_;  // the newest of each task
  std::set<std::pair<std::uint32_t, std::uint32_t>> removed_;              // agents of workspaces
};

}  // namespace parley::sim
