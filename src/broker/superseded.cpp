#include "broker/superseded.hpp"

#include "broker/find_message.hpp"
#include "broker/shapes.hpp"
#include "engine/currentness/take_back.hpp"

namespace parley::broker {
namespace {

// What a message was to take the place of that a human has yet to let through, or has rejected. 0: nothing; what was
// withdrawn has outlived it.
base::Offset was_to_replace(const engine::Workspace& workspace, base::Offset message,
                            const event::MessageAccepted& accepted) {
  const engine::Approval* const held = workspace.approvals.find(message);
  if (held && held->waits()) return held->supersedes;
  const bool withdrawn = held && held->state == engine::Approval::State::withdrawn;
  const bool rejected = !withdrawn && engine::was_withheld(workspace, message);
  return rejected && accepted.supersedes_later() ? base::Offset(accepted.supersedes()) : base::Offset{};
}

}  // namespace

Superseded::Superseded(event::Event recorded, base::WorkspaceNumber workspace, base::Offset offset)
    : event(std::move(recorded)), take_back{workspace, offset, accepted_of(event), {}} {}

base::Result<event::Event> event_that_counted(History& history, const engine::Workspace& workspace,
                                              base::Offset offset) {
  const engine::Approval* const approval = workspace.approvals.find(offset);
  if (approval && approval->holds && approval->decided_by != base::PersonNumber{}) {
    PARLEY_TRY(event::Event next, history.event(base::Position(approval->end.value + 1)));
    if (next.has_message_released() && next.message_released().message() == offset.value) return next;
  }
  return history.event(workspace.messages.at(offset).position);
}

base::Result<std::unique_ptr<Superseded>> standing(History& history, const engine::Workspace& workspace,
                                                   base::WorkspaceNumber number, base::Offset message) {
  if (!workspace.messages.find(message) || workspace.replacements.after(message)) return nullptr;
  PARLEY_TRY(event::Event event, event_that_counted(history, workspace, message));
  return std::make_unique<Superseded>(std::move(event), number, message);
}

base::Result<std::unique_ptr<Superseded>> superseded_by(History& history, const engine::Workspace& workspace,
                                                        base::WorkspaceNumber number, const Caller& caller,
                                                        const SendOptions& options) {
  auto own = own_message(workspace, caller, options.supersedes, options.to);
  if (!own && own.error().where == "message_id") own.error().where = "supersedes";  // which names it here
  PARLEY_TRY(const base::Offset offset, own);
  PARLEY_TRY(event::Event event, event_that_counted(history, workspace, offset));
  auto superseded = std::make_unique<Superseded>(std::move(event), number, offset);
  const base::Offset replaces = was_to_replace(workspace, offset, accepted_of(superseded->event));
  PARLEY_TRY(auto beneath, standing(history, workspace, number, replaces));
  const engine::Approval* const held = workspace.approvals.find(offset);
  const bool waits = held && held->waits();
  if (!beneath || !(waits || engine::is_in_force(beneath->take_back, workspace))) return superseded;
  superseded->beneath = std::move(beneath);
  superseded->take_back.beneath = &superseded->beneath->take_back;
  return superseded;
}

}  // namespace parley::broker
