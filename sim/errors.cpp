#include "sim/errors.hpp"

#include <algorithm>

#include "envelope/kind.hpp"

namespace parley::sim {
namespace {

constexpr std::uint32_t undecided = 1, last_decision = 4;
constexpr std::ptrdiff_t most_of_one = 100;

}  // namespace

void ErrorChronicle::report(const Place& place, const event::MessageAccepted& message) {
  const event::ErrorMoved& moved = message.error_moved();
  findings_.require(moved.agent() == message.sender(), place, "PIP-11: an agent waits for what another has reported");
  findings_.require(moved.status() == (moved.blocked().empty() ? "ERROR" : "BLOCKED"), place, "PIP-11: another status");
  const auto own = std::ranges::count_if(
      waiting_, [&](const auto& one) { return one.first.first == place.first && one.second == message.sender(); });
  findings_.require(own < most_of_one, place, "D11: more errors of one agent wait than may");
  waiting_[place] = message.sender();
  sightings_.saw(Sighting::error_reported);
}

void ErrorChronicle::decide(const Place& place, const event::MessageAccepted& message) {
  findings_.require(message.kind() == static_cast<std::uint32_t>(envelope::Kind::request), place,
                    "R18: decided by no request");
  findings_.require(roles_[{place.first, message.sender()}] == "orchestration", place,
                    "PIP-11: decided by who may not");
  for (const std::uint64_t error : message.error_moved().errors()) {
    const auto known = waiting_.find({place.first, error});
    if (known == waiting_.end()) {
      findings_.require(false, {place.first, error}, "PIP-11: decided, and does not wait");
      continue;
    }
    const auto& to = message.recipients();
    findings_.require(known->second == message.sender() || std::binary_search(to.begin(), to.end(), known->second),
                      place, "PIP-11: who waits does not hear of it");
    waiting_.erase(known);
    sightings_.saw(Sighting::error_decided);
  }
}

void ErrorChronicle::fold(const event::Event& event) {
  using event::Event;
  const std::uint32_t workspace = event.workspace();
  switch (event.fact_case()) {
    case Event::kAgentRegistered:
      roles_[{workspace, event.agent_registered().number()}] = event.agent_registered().properties().agent_type();
      return;
    case Event::kAgentChanged:
      roles_[{workspace, event.agent_changed().number()}] = event.agent_changed().properties().agent_type();
      return;
    case Event::kAgentRemoved:
      std::erase_if(waiting_, [&](const auto& one) {
        return one.first.first == workspace && one.second == event.agent_removed().number();
      });
      return;
    case Event::kMessageAccepted:
      return fold({workspace, event.offset()}, event.message_accepted());
    case Event::kMessageReleased:
      return fold({workspace, event.message_released().message()}, event.message_released().as());
    case Event::kMessageTakenBack:
      waiting_.erase({workspace, event.message_taken_back().message()});
      return;
    default:
      return;
  }
}

void ErrorChronicle::fold(const Place& place, const event::MessageAccepted& message) {
  if (!message.has_error_moved()) return;
  const event::ErrorMoved& moved = message.error_moved();
  findings_.require(moved.state() >= undecided && moved.state() <= last_decision, place, "PIP-11: no such state");
  if (moved.state() > undecided) return decide(place, message);
  if (moved.errors_size() == 0) return report(place, message);
  for (const std::uint64_t error : moved.errors())
    findings_.require(waiting_.contains({place.first, error}), place, "PIP-11: passed on, and does not wait");
}

}  // namespace parley::sim
