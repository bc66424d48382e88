// What came beside a message: a statement that a runner signed (BEY-05). Whether it is good, and about this.
#pragma once
#include <optional>

#include "engine/command.hpp"
#include "envelope/statement.hpp"

namespace parley::engine {

// A statement is believed for so long; the runner's clock may be as much ahead (R10).
inline constexpr base::Duration evidence_age_max = std::chrono::hours(24);
inline constexpr base::Duration runner_skew_max = std::chrono::minutes(5);  // of its clock against the server's

// Whether what came beside the message has a place there. `of_review`: it moves one. Error: EVIDENCE_OTHER.
base::Result<> check_evidence_has_place(const AcceptMessage& command, bool of_review);

// The evidence of a review's result; none: none came with it. Error: EVIDENCE_MALFORMED, RUNNER_UNKNOWN,
// RUNNER_REVOKED, EVIDENCE_EXPIRED, EVIDENCE_FORGED, EVIDENCE_OTHER.
base::Result<std::optional<envelope::Statement>> read_evidence(const AcceptMessage& command, const Workspace& workspace,
                                                               const Review& review, Instant now);

// What a check was asked as: its command and the exit code expected.
std::string asked_as(std::string_view command, std::int64_t expected);

}  // namespace parley::engine
