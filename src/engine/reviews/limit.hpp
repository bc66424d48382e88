// The last iteration there may be (000 §4.3; COL-12; R14, R37): what asks for changes then goes to a human, is approved
// all the same, or ends its task.
#pragma once
#include <optional>

#include "engine/approvals/open.hpp"
#include "engine/deciding.hpp"

namespace parley::engine {

// So many reviews a task may have: its assignment's number, else its profile's.
std::uint32_t iterations_of(const AcceptMessage& command, const Task& task);

// What a verdict comes to in this iteration.
ReviewState outcome_of(ReviewState verdict, std::uint32_t iteration, std::uint32_t most, Escalation escalation);

// What a human is asked where the result comes to that (R14).
std::optional<Asking> asking_of_review(const AcceptMessage& command, const Workspace& workspace,
                                       const event::ReviewMoved& moved);

// Who asked for the review hears what its last iteration came to.
void tell_of_limit(const Deciding& deciding, const AcceptMessage& command, const event::ReviewMoved& moved);

}  // namespace parley::engine
