#include "sim/help.hpp"

#include <algorithm>

#include "envelope/kind.hpp"

namespace parley::sim {

using envelope::Kind;
using event::Event;

void HelpChronicle::ask(const Place& place, const event::MessageAccepted& message) {
  const event::HelpMoved& moved = message.help_moved();
  findings_.require(static_cast<Kind>(message.kind()) == Kind::help_request, place,
                    "HND-04: help that nobody asked for");
  findings_.require(message.recipients_size() == 1 && message.recipients(0) == moved.helper(), place,
                    "HND-04: another is asked than the message reaches");
  Help help{State::asked, message.message_id(), message.sender(), moved.subject(), {moved.helper()}, {}};
  if (moved.deadline() != 0) help.deadline = base::instant_of(moved.deadline());
  if (message.automatic())
    findings_.require(agents_[{place.first, moved.helper()}].capabilities.contains(help.subject), place,
                      "R34: chosen without what it takes");
  by_id_[{place.first, help.id}] = place;
  helps_[place] = std::move(help);
  sightings_.saw(Sighting::help_asked);
}

void HelpChronicle::answer(const Place& at, const event::MessageAccepted& message) {
  const event::HelpMoved& moved = message.help_moved();
  const Place place{at.first, moved.help()};
  const auto found = helps_.find(place);
  if (found == helps_.end()) return findings_.require(false, at, "HND-04: an answer to what nobody asked");
  Help& help = found->second;
  const auto& to = message.recipients();
  findings_.require(static_cast<Kind>(message.kind()) == Kind::help_reply && help.helpers.back() == message.sender(),
                    at, "HND-04: answered by who is not asked");
  findings_.require(std::find(to.begin(), to.end(), help.asker) != to.end(), at,
                    "HND-04: an answer that passes the asker by");
  come_to(place, help, moved);
  if (help.state == State::answered) sightings_.saw(Sighting::help_answered);
}

// By the server itself.
void HelpChronicle::move(const Place& place, const event::HelpMoved& moved) {
  const auto found = helps_.find(place);
  if (found == helps_.end())
    return findings_.require(false, place, "HND-04: the server moved help that nobody asked for");
  Help& help = found->second;
  const auto to = static_cast<State>(moved.state());
  findings_.require(to == State::asked || to == State::unhelped || to == State::expired || to == State::withdrawn,
                    place, "HND-04: the server made a move that is not its own");
  findings_.require(to != State::asked || moved.helper() != 0, place, "HND-04: moved to nobody");
  come_to(place, help, moved);
}

void HelpChronicle::come_to(const Place& place, Help& help, const event::HelpMoved& moved) {
  findings_.require(!help.over(), place, "HND-04: what was over moves again");
  help.state = static_cast<State>(moved.state());
  if (moved.helper() == 0) return;
  const bool again = std::find(help.helpers.begin(), help.helpers.end(), moved.helper()) != help.helpers.end();
  findings_.require(!again && moved.helper() != help.asker, place, "HND-04: asked a second time, or asked itself");
  findings_.require(!removed(place.first, moved.helper()), place, "HND-04: asked of who was removed");
  findings_.require(agents_[{place.first, moved.helper()}].capabilities.contains(help.subject), place,
                    "HND-04: passed on to who lacks what it takes");
  help.helpers.push_back(moved.helper());
  sightings_.saw(Sighting::help_passed_on);
}

void HelpChronicle::follow(const Place& place, const event::MessageAccepted& message) {
  if (!message.has_help_moved()) return;
  return message.help_moved().help() == 0 ? ask(place, message) : answer(place, message);
}

void HelpChronicle::fold(const Event& event, base::Instant at) {
  now_ = at;
  const std::uint32_t workspace = event.workspace();
  const auto learn = [&](std::uint32_t number, const event::AgentProperties& properties) {
    const auto& names = properties.capabilities();
    agents_[{workspace, number}].capabilities = {names.begin(), names.end()};
  };
  switch (event.fact_case()) {
    case Event::kAgentRegistered:
      return learn(event.agent_registered().number(), event.agent_registered().properties());
    case Event::kAgentChanged:
      return learn(event.agent_changed().number(), event.agent_changed().properties());
    case Event::kAgentRemoved: {
      const std::uint32_t gone = event.agent_removed().number();
      agents_[{workspace, gone}].removed = true;
      for (auto& [place, help] : helps_)
        if (place.first == workspace && help.asker == gone && !help.over()) help.state = State::withdrawn;
      return;
    }
    case Event::kMessageAccepted:
      return follow({workspace, event.offset()}, event.message_accepted());
    case Event::kMessageReleased:
      return follow({workspace, event.message_released().message()}, event.message_released().as());
    case Event::kMessageTakenBack: {  // BEY-03
      const auto asked = helps_.find({workspace, event.message_taken_back().message()});
      if (asked != helps_.end() && !asked->second.over()) asked->second.state = State::withdrawn;
      return;
    }
    case Event::kHelpMoved:
      return move({workspace, event.help_moved().help()}, event.help_moved());
    default:
      return;
  }
}

void HelpChronicle::check_all_ended() {
  for (const auto& [place, help] : helps_) {
    if (help.over()) continue;
    findings_.require(!removed(place.first, help.helpers.back()), place, "HND-04: waits for who was removed");
    findings_.require(help.deadline == base::Instant{} || help.deadline > now_, place,
                      "HND-04: open past its deadline");
  }
}

}  // namespace parley::sim
