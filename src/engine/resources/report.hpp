// What an agent reports to have used (HND-12): counted against its allocation and its open tasks', the oldest first.
// Over them it is warned, who assigned the work is told, and it gets nothing new (allot.hpp, spent_by).
#pragma once
#include "engine/deciding.hpp"

namespace parley::engine {

// Of a status report; writes it into the fact. A plain message costs a look.
void follow_resources(const AcceptMessage& command, const Workspace& workspace, event::MessageAccepted& event,
                      std::vector<base::Problem>& warnings);
// Behind the message: once, when a task or its assignee comes over what it may use.
void tell_of_overuse(const Deciding& deciding, const AcceptMessage& command,
                     const google::protobuf::RepeatedPtrField<event::ResourceUsed>& used);
void apply_to_resources(Workspace&, const event::MessageAccepted&);

}  // namespace parley::engine
