// Whether a verdict follows from what stands beside it (COL-11, COL-13, COL-23), and what it makes of the findings.
#pragma once
#include "engine/command.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// Writes what the request wants verified. Error: PAYLOAD_TOO_LARGE.
base::Result<> write_criteria(const AcceptMessage& command, event::ReviewMoved& moved);

// Writes findings and required changes of a result. Error: VERDICT_UNFOUNDED, FINDING_UNKNOWN, PAYLOAD_TOO_LARGE; the
// review stays as it is.
base::Result<> write_verdict(const AcceptMessage& command, const Review& review, const ReviewedTask& task,
                             ReviewState verdict, event::ReviewMoved& moved);

}  // namespace parley::engine
