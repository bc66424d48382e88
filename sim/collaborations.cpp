#include "sim/collaborations.hpp"

#include <algorithm>

namespace parley::sim {

using event::Event;

bool CollaborationChronicle::is_open(const Collaboration& collaboration) const {
  const HelpChronicle::Help* const help = help_.find(collaboration.help);
  return help && !help->over() && help->helpers.back() == collaboration.helper;
}

CollaborationChronicle::Found CollaborationChronicle::open_about(const Place& help) const {
  for (const auto& [place, collaboration] : all_)
    if (collaboration.help == help && is_open(collaboration)) return place.second;
  return std::nullopt;
}

// By its own id, else by that of the request for help that it is about.
CollaborationChronicle::Found CollaborationChronicle::open_under(std::uint32_t workspace, const std::string& id) const {
  if (id.empty()) return std::nullopt;
  if (const auto known = by_id_.find({workspace, id}); known != by_id_.end())
    return is_open(all_.at({workspace, known->second})) ? Found(known->second) : std::nullopt;
  const auto help = help_.find(workspace, id);
  return help ? open_about(*help) : std::nullopt;
}

CollaborationChronicle::Found CollaborationChronicle::said_in(const Place& place,
                                                              const event::MessageAccepted& message) const {
  Found found;
  if (message.help_moved().answers()) found = open_about({place.first, message.help_moved().help()});
  if (!message.help_moved().answers())
    for (const std::string* id : {&message.conversation(), &message.correlation(), &message.reply_to()})
      if (!found) found = open_under(place.first, *id);
  if (!found) return found;
  const Collaboration& collaboration = all_.at({place.first, *found});
  const auto takes_part = [&](std::uint32_t agent) {
    return agent == collaboration.asker || agent == collaboration.helper;
  };
  const bool among = takes_part(message.sender()) && message.recipients_size() > 0 &&
                     std::ranges::all_of(message.recipients(), takes_part);
  return among ? found : std::nullopt;
}

void CollaborationChronicle::follow(const Place& place, const event::MessageAccepted& message) {
  const event::HelpMoved& help = message.help_moved();
  const Place about{place.first, help.help()};
  const bool meets =
      help.answers() && static_cast<HelpChronicle::State>(help.state()) == HelpChronicle::State::together;
  const event::CollaborationMoved& moved = message.collaboration_moved();
  if (meets && !open_about(about)) {
    findings_.require(
        message.has_collaboration_moved() && moved.collaboration() == 0 && moved.id() == message.message_id(), place,
        "HND-04: who meets opened nothing");
    const HelpChronicle::Help* const request = help_.find(about);
    if (!request) return;  // told by the requests' own rules
    all_[place] = {about, request->asker, message.sender()};
    by_id_[{place.first, message.message_id()}] = place.second;
    sightings_.saw(Sighting::collaboration_opened);
    return;
  }
  const Found expected = said_in(place, message);
  findings_.require(
      message.has_collaboration_moved() == expected.has_value() && moved.collaboration() == expected.value_or(0), place,
      "HND-04: said in another collaboration than it names, or by who takes no part");
  if (expected) sightings_.saw(Sighting::collaboration_said);
}

void CollaborationChronicle::fold(const Event& event) {
  const std::uint32_t workspace = event.workspace();
  if (event.has_message_accepted() && event.message_accepted().held())
    findings_.require(!event.message_accepted().has_collaboration_moved(), {workspace, event.offset()},
                      "HND-04: a held message was said");
  else if (event.has_message_accepted())
    follow({workspace, event.offset()}, event.message_accepted());
  else if (event.has_message_released())
    follow({workspace, event.message_released().message()}, event.message_released().as());
}

std::size_t CollaborationChronicle::open(std::uint32_t workspace) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      all_, [&](const auto& one) { return one.first.first == workspace && is_open(one.second); }));
}

}  // namespace parley::sim
