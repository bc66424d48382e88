// What a completion claims, held against what its assignment asked for (COL-05, COL-06, COL-23, BEY-05).
#pragma once
#include <string>
#include <vector>

#include "engine/command.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// Writes the terms of an assignment into its move. Error: PAYLOAD_TOO_LARGE, where they are too many to be kept.
base::Result<> write_terms(const envelope::Envelope& envelope, event::TaskMoved& moved);

// Of a completion, also of a failed one. Error: SCOPE_VIOLATION, EVIDENCE_MISSING, PAYLOAD_TOO_LARGE; the task stays as
// it is.
base::Result<> check_evidence(const AcceptMessage& command, const Task& task);

// The completion says that it is one in part.
bool is_in_part(const AcceptMessage& command);

// Reference files that an acknowledgment does not name among those it has read (COL-06).
std::vector<std::string> unread_files(const envelope::Envelope& envelope, const Task& task);

}  // namespace parley::engine
