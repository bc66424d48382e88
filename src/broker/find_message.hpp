// Messages by the ids that their senders gave them, as a caller may see them.
#pragma once
#include <optional>

#include "broker/port/call.hpp"
#include "engine/state.hpp"

namespace parley::broker {

// What is held for an agent it learns of when it gets it.
bool party_to(const engine::Message& message, base::AgentNumber agent);

// The same for what is not there and for what the caller may not see (I1).
std::unexpected<base::Error> not_known(std::string_view message_id);

// `to` tells apart messages of one id to several recipients (R7); may be empty. Errors: NOT_FOUND, CONFLICT. Whether
// the caller may see it is not asked.
base::Result<base::Offset> offset_of(const engine::Workspace& workspace, const Caller& caller,
                                     std::string_view message_id, std::string_view to);

// Of this id, one that was sent to the caller, or to everybody; none: there is none.
std::optional<base::Offset> offset_received(const engine::Workspace& workspace, const Caller& caller,
                                            std::string_view message_id);

// One that the caller has sent itself. Errors: also FORBIDDEN.
base::Result<base::Offset> own_message(const engine::Workspace& workspace, const Caller& caller,
                                       std::string_view message_id, std::string_view to);

}  // namespace parley::broker
