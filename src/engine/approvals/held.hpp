// Messages that reach nobody before a human has decided (SUP-04): accepted, on disk, and held. Whatever opens an
// approval that holds its message (open.hpp) gets it released, changed, or withheld by the decision; the message means
// nothing to the other mechanisms before.
#pragma once
#include "engine/approvals/open.hpp"
#include "engine/deciding.hpp"
#include "engine/engine.hpp"

namespace parley::engine {

// A completion that a human must look at first, where its profile holds such: by its own word, for want of confidence,
// or because its task asks for it.
std::optional<Asking> held_completion(const AcceptMessage& command, const Workspace& workspace);

// Rejected, by a human or by time: it goes to nobody, and the task that it would have ended goes on.
void decide_withheld(const Deciding& deciding, Offset message, const RulesetOf& ruleset_of);

// It waits for nobody any more: of one that still does.
void write_withdrawn(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message);

// What it is about is over, and with it what there was to decide.
void decide_withdrawn(Decided& decided, const Workspace& workspace, WorkspaceNumber number, Offset message);

}  // namespace parley::engine
