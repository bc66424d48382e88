// Whether a verdict follows from what stands beside it (COL-11, COL-13, COL-23), and what it makes of the findings.
#pragma once
#include "engine/command.hpp"
#include "envelope/statement.hpp"
#include "event/events.pb.h"

namespace parley::engine {

// Writes what the request wants verified. Error: PAYLOAD_TOO_LARGE.
base::Result<> write_criteria(const AcceptMessage& command, event::ReviewMoved& moved);

// What a runner signed beside the result, and what the workspace wants of it (BEY-05).
struct Given {
  const envelope::Statement* statement = nullptr;  // null: nothing
  UnsignedChecks unsigned_checks = UnsignedChecks::warn;
};

// Writes findings and required changes of a result. Error: VERDICT_UNFOUNDED, FINDING_UNKNOWN, PAYLOAD_TOO_LARGE; the
// review stays as it is. Appends warnings.
base::Result<> write_verdict(const AcceptMessage& command, const Review& review, const ReviewedTask& task,
                             ReviewState verdict, const Given& given, event::ReviewMoved& moved,
                             std::vector<base::Problem>& warnings);

}  // namespace parley::engine
