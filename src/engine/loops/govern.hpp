// The loop governor (BEY-04): messages that only set each other off are held for a human, who lets the next one pass or
// ends it. Nobody pays for it with a token: it sees what the messages themselves tell.
#pragma once
#include <optional>

#include "engine/approvals/open.hpp"
#include "engine/messages/recipients.hpp"

namespace parley::engine {

// What tells how things stand asks for nothing, and may be the same for long; reviews have bounds of their own (R37),
// and nothing may keep an abort from its task, or a human from what he is asked. None of it is held, or counts; what
// comes of it is in the same chain as what it came of.
bool never_loops(envelope::Kind kind);

// What an accepted message comes of: what it answers, or the newest that its sender took, from who gets it or else from
// anybody; of both the newer. None where it comes of nothing that is known, and of what no bound holds for.
std::optional<Link> link_of(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients);

// Why a human looks at it first: too many answers to answers, a cycle without a new word, more messages of one root
// than it may set off.
std::optional<Asking> held_loop(const AcceptMessage& command, const Workspace& workspace, const Recipients& recipients,
                                const Link& link);

void write(const Link& link, event::MessageAccepted& event);

// The message itself is in the state.
void apply_to_loops(Workspace& workspace, Offset offset, const event::MessageAccepted& event);

}  // namespace parley::engine
