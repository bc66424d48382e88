#include "engine/collaborations/follow.hpp"

#include <algorithm>

#include "event/events.pb.h"

namespace parley::engine {
namespace {

using machine::collaboration::Step;

constexpr std::size_t said_kept = 32;       // messages of each (D11)
constexpr std::size_t closed_kept = 1'000;  // collaborations of a workspace, likewise

CollaborationState after(Step step) {
  return *machine::collaboration::move_of(step).to;
}

std::optional<Offset> open_about(const Workspace& workspace, Offset help) {
  const auto known = workspace.collaborations.about(help);
  return known && workspace.collaborations.at(*known).is_open() ? known : std::nullopt;
}

// The open one that this id is of, or that is about the request for help of this id.
std::optional<Offset> open_under(const Workspace& workspace, const std::string& id) {
  if (id.empty()) return std::nullopt;
  if (const auto known = workspace.collaborations.find(id))
    return workspace.collaborations.at(*known).is_open() ? known : std::nullopt;
  const auto help = workspace.help.find(id);
  return help ? open_about(workspace, *help) : std::nullopt;
}

bool is_among(const Collaboration& collaboration, const event::MessageAccepted& event) {
  const auto takes_part = [&](std::uint32_t agent) { return collaboration.has(AgentNumber(agent)); };
  return takes_part(event.sender()) && event.recipients_size() > 0 &&
         std::ranges::all_of(event.recipients(), takes_part);
}

std::optional<Offset> named_by(const Workspace& workspace, const event::MessageAccepted& event) {
  for (const std::string* id : {&event.conversation(), &event.correlation(), &event.reply_to()})
    if (const auto known = open_under(workspace, *id)) return known;
  return std::nullopt;
}

void write(const Workspace& workspace, Offset offset, event::MessageAccepted& event) {
  const Collaboration& collaboration = workspace.collaborations.at(offset);
  if (!is_among(collaboration, event)) return;
  event::CollaborationMoved& moved = *event.mutable_collaboration_moved();
  moved.set_collaboration(offset.value);
  moved.set_state(static_cast<std::uint32_t>(collaboration.state));
  moved.set_id(std::string(collaboration.id.view()));
}

void open(Workspace& workspace, Offset offset, const event::MessageAccepted& event, const Placed& placed) {
  const Offset purpose(event.help_moved().help());
  const Help* const help = workspace.help.find(purpose);
  if (!help) return;
  Collaboration collaboration;
  collaboration.id = base::PackedText(event.message_id());
  collaboration.state = static_cast<CollaborationState>(event.collaboration_moved().state());
  collaboration.purpose = purpose;
  collaboration.purpose_id = base::PackedText(help->id.view());
  collaboration.task = help->task;
  collaboration.participants = {help->asker, AgentNumber(event.sender())};
  collaboration.opened_at = placed.at;
  workspace.collaborations.add(offset, std::move(collaboration));
}

void keep(Collaboration& collaboration, Offset offset, const event::MessageAccepted& event, const Placed& placed) {
  if (collaboration.said.size() == said_kept) collaboration.said.erase(collaboration.said.begin());
  collaboration.said.push_back({offset, placed.position, AgentNumber(event.sender())});
  ++collaboration.messages;
}

}  // namespace

void follow_collaborations(const Workspace& workspace, event::MessageAccepted& event) {
  if (const event::HelpMoved& help = event.help_moved(); help.answers()) {
    if (const auto known = open_about(workspace, Offset(help.help()))) return write(workspace, *known, event);
    if (static_cast<HelpState>(help.state()) != HelpState::together) return;
    event::CollaborationMoved& moved = *event.mutable_collaboration_moved();
    moved.set_state(static_cast<std::uint32_t>(after(Step::meet)));
    moved.set_id(event.message_id());
    return;
  }
  if (workspace.collaborations.open() == 0) return;
  if (const auto known = named_by(workspace, event)) write(workspace, *known, event);
}

void apply_to_collaborations(Workspace& workspace, Offset offset, const event::MessageAccepted& event,
                             const Placed& placed) {
  if (!event.has_collaboration_moved()) return;
  const Offset named(event.collaboration_moved().collaboration());
  if (named == Offset{}) open(workspace, offset, event, placed);
  const Offset of = named == Offset{} ? offset : named;
  if (workspace.collaborations.all().contains(of)) keep(workspace.collaborations.at(of), offset, event, placed);
}

void close_collaboration(Workspace& workspace, Offset help, std::string_view why, Instant at) {
  const auto known = open_about(workspace, help);
  if (!known) return;
  Collaboration& collaboration = workspace.collaborations.at(*known);
  collaboration.state = after(Step::close);
  collaboration.closed_at = at;
  collaboration.closed_by = workspace.head;
  collaboration.why = why;
  workspace.collaborations.close(*known, closed_kept);
}

}  // namespace parley::engine
