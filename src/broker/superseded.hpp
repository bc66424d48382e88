// A message that another takes the place of (BEY-03): the record of it, and what taking it back means for mechanisms.
#pragma once
#include <memory>

#include "broker/history.hpp"
#include "broker/port/call.hpp"
#include "broker/port/sending.hpp"
#include "engine/command.hpp"

namespace parley::broker {

struct Superseded {
  Superseded(event::Event recorded, base::WorkspaceNumber workspace, base::Offset offset);
  const event::Event event;  // the record of it
  engine::TakeBack take_back;
  std::unique_ptr<Superseded> beneath;  // what it was to take the place of, where that is in force still
};

// The record of what a message means: what a held one meant when it was released stands in the event behind its
// decision; as long as that is known.
base::Result<event::Event> event_that_counted(History& history, const engine::Workspace& workspace,
                                              base::Offset offset);

// What has stood until now; null: nothing, or nothing that anybody remembers.
base::Result<std::unique_ptr<Superseded>> standing(History& history, const engine::Workspace& workspace,
                                                   base::WorkspaceNumber number, base::Offset message);

// What `options` names, with what lies beneath it. Errors: those of own_message.
base::Result<std::unique_ptr<Superseded>> superseded_by(History& history, const engine::Workspace& workspace,
                                                        base::WorkspaceNumber number, const Caller& caller,
                                                        const SendOptions& options);

}  // namespace parley::broker
