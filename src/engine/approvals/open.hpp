// What opens an approval: a message that asks for one; and whatever else holds a message until a human has decided.
#pragma once
#include <optional>

#include "engine/engine.hpp"

namespace parley::engine {

// What is asked, besides the message itself, which is what will be shown.
struct Asking {
  std::string subject;
  std::string why;                     // a human must decide, where the message does not say so itself
  std::vector<std::string> approvers;  // named; none: maintainers decide
  std::uint32_t offered = 0;           // a set of decisions; 0: all
  base::Duration timeout{};
  bool holds = false;  // the message: it reaches nobody before (held.hpp)
};

// What the message asks for, where it asks (SUP-05); none where it does not, or where its profile has no approvals.
std::optional<Asking> asking_of(const AcceptMessage& command);

// Before acceptance. Errors: APPROVALS_FULL; ID_CONFLICT where another approval of this id waits.
base::Result<> check_approval(const AcceptMessage& command, const Workspace& workspace);

// Writes into the fact that the message opens an approval.
void open_approval(const Asking& asking, const Context& context, event::MessageAccepted& event);

// The message itself is in the state.
void apply_to_approvals(State&, Workspace&, WorkspaceNumber, Offset, const event::MessageAccepted&, const Placed&);

}  // namespace parley::engine
