#include "engine/runners/evidence.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::quoted;
using envelope::SignedCheck;
using envelope::Statement;

std::unexpected<base::Error> refused(ErrorCode code, std::string message, std::string hint = {}) {
  return base::fail(code, std::move(message), "evidence", std::move(hint));
}

base::Result<> check_runner(const Workspace& workspace, const envelope::Evidence& evidence, Instant now) {
  const Runner* const known = workspace.runners.find(evidence.statement().runner);
  if (!known)
    return refused(ErrorCode::RUNNER_UNKNOWN,
                   "no runner " + quoted(evidence.statement().runner) + " is registered here");
  const Runner& runner = *known;
  if (runner.revoked())
    return refused(ErrorCode::RUNNER_REVOKED,
                   "the key of runner " + quoted(runner.id) + " was revoked at " + base::to_rfc3339(runner.revoked_at));
  if (runner.expired(now))
    return refused(
        ErrorCode::EVIDENCE_EXPIRED,
        "the key of runner " + quoted(runner.id) + " was valid until " + base::to_rfc3339(runner.valid_until),
        "Revoke it and register another, then have the checks signed with that.");
  if (!evidence.verifies(runner.key))
    return refused(ErrorCode::EVIDENCE_FORGED, "runner " + quoted(runner.id) + " did not sign this");
  return {};
}

// What was run before the review was asked for was run on other work.
base::Result<> check_age(const Statement& statement, const Review& review, Instant now) {
  const auto expired = [&](const std::string& why) {
    return refused(ErrorCode::EVIDENCE_EXPIRED, "the evidence is of " + base::to_rfc3339(statement.at) + "; " + why);
  };
  if (statement.at < now - evidence_age_max) return expired("it is believed for " + base::to_text(evidence_age_max));
  if (statement.at > now + runner_skew_max) return expired("the server's clock says " + base::to_rfc3339(now));
  if (statement.at < review.asked_at - runner_skew_max)
    return expired("review " + quoted(review.id.view()) + " was asked for at " + base::to_rfc3339(review.asked_at));
  return {};
}

base::Result<> check_about(const Statement& statement, const Workspace& workspace, const Review& review) {
  const auto compare = [](std::string_view what, std::string_view stated, std::string_view is) -> base::Result<> {
    if (stated == is) return {};
    return refused(ErrorCode::EVIDENCE_OTHER, "the evidence is about " + std::string(what) + ' ' + quoted(stated) +
                                                  ", the result about " + quoted(is));
  };
  PARLEY_CHECK(compare("workspace", statement.workspace, workspace.name));
  PARLEY_CHECK(compare("task", statement.task, workspace.tasks.at(review.task).id.view()));
  return compare("review", statement.review, review.id.view());
}

// Who asked decides what is run.
base::Result<> check_as_asked(const SignedCheck& check, const Review& review) {
  const auto asked = std::find(review.checks.begin(), review.checks.end(), check.name);
  const auto place = static_cast<std::size_t>(asked - review.checks.begin());
  if (!check.custom || place >= review.asked.size()) return {};
  if (review.asked[place].empty() || review.asked[place] == asked_as(check.command, check.expected)) return {};
  return refused(ErrorCode::EVIDENCE_OTHER, "the request asks for check " + quoted(check.name) +
                                                " with another command or exit code than the runner's " +
                                                quoted(check.command) + ", expected " + std::to_string(check.expected));
}

base::Result<> check_claim(const SignedCheck& check, json::Value verification, std::string_view custom) {
  const json::Value claimed = (check.custom ? verification.find(custom) : verification).find(check.name);
  const auto passed = claimed.find("passed").if_bool();
  if (passed == check.passed()) return {};
  const std::string ended = check.exit_code ? "ended with " + std::to_string(*check.exit_code) : "was not done in time";
  return refused(ErrorCode::EVIDENCE_OTHER,
                 "the result says of " + quoted(check.name) +
                     (passed ? *passed ? " that it passed" : " that it failed" : " nothing") +
                     "; the runner signed that it " + ended + ", expected " + std::to_string(check.expected),
                 "Put the `verification` that `parley review run-checks` printed into the result as it is.");
}

}  // namespace

base::Result<> check_evidence_has_place(const AcceptMessage& command, bool of_review) {
  const bool result = command.envelope.kind == envelope::Kind::review_result;
  if (command.evidence.empty() || (result && of_review)) return {};
  return refused(ErrorCode::EVIDENCE_OTHER,
                 "evidence goes with the result of a review; this is a '" + command.envelope.native_type + "'",
                 "Send the message without it.");
}

base::Result<std::optional<Statement>> read_evidence(const AcceptMessage& command, const Workspace& workspace,
                                                     const Review& review, Instant now) {
  if (command.evidence.empty()) return std::nullopt;
  PARLEY_TRY(envelope::Evidence evidence, envelope::Evidence::parse(command.evidence));
  PARLEY_CHECK(check_runner(workspace, evidence, now));
  const Statement& statement = evidence.statement();
  PARLEY_CHECK(check_age(statement, review, now));
  PARLEY_CHECK(check_about(statement, workspace, review));
  const json::Value verification = envelope::value(command.envelope, "verification");
  for (const SignedCheck& check : statement.checks) {
    PARLEY_CHECK(check_as_asked(check, review));
    PARLEY_CHECK(check_claim(check, verification, command.ruleset.reviews->custom));
  }
  return statement;
}

std::string asked_as(std::string_view command, std::int64_t expected) {
  const base::Digest digest = base::sha256(std::string(command) + '\n' + std::to_string(expected));
  return {digest.begin(), digest.begin() + digest.size() / 2};
}

}  // namespace parley::engine
