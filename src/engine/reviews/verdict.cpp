#include "engine/reviews/verdict.hpp"

#include <algorithm>
#include <map>

#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"
#include "engine/runners/evidence.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::listed;
using base::quoted;

constexpr std::size_t names_max = 100;  // of checks, or of changes, of one message (D11)
constexpr std::size_t name_bytes_max = 256;

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of a list of objects, each once; no more than tell that there are too many (D11).
std::vector<std::string> names_in(const envelope::Envelope& envelope, std::string_view field, std::string_view member) {
  const json::Value list = envelope::value(envelope, field);
  std::vector<std::string> names;
  for (const json::Value item : list.elements()) {
    if (names.size() > names_max) break;
    if (const auto name = item.find(member).if_string(); name && !has(names, *name)) names.emplace_back(*name);
  }
  return names;
}

std::vector<std::string> related_in(const envelope::Envelope& envelope) {
  const json::Value changes = envelope::value(envelope, "required_changes");
  std::vector<std::string> ids;
  for (const json::Value change : changes.elements())
    for (const json::Value related : change.find("related_findings").elements())
      if (const auto id = related.if_string(); id && ids.size() < findings_max) ids.emplace_back(*id);
  return ids;
}

// Beside these names of checks, what each was asked as; empty: that is not known, in a lenient workspace. By its name a
// check is told from the others, in the result and by who runs it (COL-23).
base::Result<std::vector<std::string>> asked_in(const envelope::Envelope& envelope,
                                                const std::vector<std::string>& names) {
  std::vector<std::string> asked(names.size());
  const json::Value checks = envelope::value(envelope, "checks");
  for (const json::Value check : checks.elements()) {
    const auto at = std::find(names.begin(), names.end(), check.find("name").if_string().value_or(""));
    const auto command = check.find("command").if_string();
    const auto expected = check.find("expected_exit_code").if_int();
    if (at == names.end() || !command || !expected) continue;
    std::string& as = asked[static_cast<std::size_t>(at - names.begin())];
    const std::string this_as = asked_as(*command, *expected);
    if (!as.empty() && as != this_as)
      return base::fail(ErrorCode::ID_CONFLICT, "two checks that differ are named " + quoted(*at), "checks",
                        "Give each check a name of its own.");
    as = this_as;
  }
  return asked;
}

base::Result<> check_names(const std::vector<std::string>& names, std::string_view what, std::string_view where) {
  const bool long_one =
      std::any_of(names.begin(), names.end(), [](const auto& n) { return n.size() > name_bytes_max; });
  if (names.size() <= names_max && !long_one) return {};
  return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                    "of one review " + std::to_string(names_max) + ' ' + std::string(what) + " with names of " +
                        std::to_string(name_bytes_max) + " bytes are kept",
                    std::string(where));
}

// Custom checks that no runner has signed (BEY-05).
std::vector<std::string> unsigned_of(const Review& review, const Given& given) {
  std::vector<std::string> names = review.checks;
  if (given.statement)
    std::erase_if(names, [&](const std::string& name) {
      return std::ranges::any_of(given.statement->checks,
                                 [&](const envelope::SignedCheck& c) { return c.custom && c.name == name; });
    });
  return names;
}

// Those that did not pass; a missing one counts as failed (COL-23).
std::vector<std::string> unverified(const AcceptMessage& command, const Review& review, const Given& given) {
  std::vector<std::string> lacking;
  if (given.unsigned_checks == UnsignedChecks::missing) lacking = unsigned_of(review, given);
  const json::Value verification = envelope::value(command.envelope, "verification");
  const auto passed = [](json::Value result) { return result.find("passed").if_bool().value_or(false); };
  std::vector<std::string> names;
  for (const std::string& name : review.required)
    if (!passed(verification.find(name))) names.push_back(name);
  const json::Value custom = verification.find(command.ruleset.reviews->custom);
  for (const std::string& name : review.checks)
    if (has(lacking, name) || !passed(custom.find(name))) names.push_back(command.ruleset.reviews->custom + ' ' + name);
  return names;
}

// The findings as they stand after this result.
class Judging {
 public:
  Judging(const AcceptMessage& command, const Review& review, const ReviewedTask& task)
      : command_(command), policy_(*command.ruleset.reviews), review_(review) {
    for (const Finding& finding : task.findings) standing_.emplace(finding.id, finding);
  }

  base::Result<> take(event::ReviewMoved& moved) {
    const json::Value list = envelope::value(command_.envelope, "findings");
    for (const json::Value item : list.elements()) {
      const auto id = item.find("finding_id").if_string();
      if (id)
        PARLEY_CHECK(take_one(std::string(*id), item, moved));
      else if (blocks(item))
        nameless_ = true;  // of a lenient workspace
      PARLEY_CHECK(check_room());
    }
    return {};
  }
  // What an earlier review found, and this one neither finds any more nor wants changed.
  void mend_unnamed(const std::vector<std::string>& related, event::ReviewMoved& moved) {
    for (auto& [id, finding] : standing_) {
      if (finding.fixed_in != 0 || has(named_, id) || has(related, id)) continue;
      finding.fixed_in = review_.iteration;
      write(finding, moved);
    }
  }
  std::vector<std::string> in_the_way() const {
    std::vector<std::string> names;
    for (const auto& [id, finding] : standing_)
      if (finding.blocks && finding.fixed_in == 0) names.push_back(id);
    if (nameless_) names.emplace_back("one without an id");
    return names;
  }
  const std::vector<std::string>& named() const { return named_; }
  bool knows(const std::string& id) const { return standing_.contains(id); }

 private:
  base::Result<> check_room() const {
    std::size_t bytes = 0;
    for (const auto& [id, finding] : standing_) bytes += id.size();
    if (standing_.size() <= findings_max && bytes <= finding_bytes_max) return {};
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "of a task " + std::to_string(findings_max) + " findings are kept, with ids of " +
                          std::to_string(finding_bytes_max) + " bytes together",
                      "findings", "Gather what belongs together into one finding.");
  }
  base::Result<> take_one(const std::string& id, json::Value item, event::ReviewMoved& moved) {
    if (has(named_, id))
      return base::fail(ErrorCode::VERDICT_UNFOUNDED, "finding " + quoted(id) + " stands there twice", "findings");
    named_.push_back(id);
    Finding& finding = standing_[id];
    finding.id = id;
    finding.blocks = blocks(item);
    if (finding.found_in == 0) finding.found_in = review_.iteration;
    const std::uint64_t fixed = item.find("fixed_in_iteration").if_uint().value_or(0);
    if (fixed > 0 && (fixed > review_.iteration || fixed < finding.found_in))
      return base::fail(ErrorCode::VERDICT_UNFOUNDED,
                        "finding " + quoted(id) + " was found in iteration " + std::to_string(finding.found_in) +
                            ", this is iteration " + std::to_string(review_.iteration) +
                            ": it was not fixed in iteration " + std::to_string(fixed),
                        "findings", "Name the iteration in which it was fixed, or leave it out as long as it stands.");
    finding.fixed_in = static_cast<std::uint32_t>(fixed);
    write(finding, moved);
    return {};
  }
  bool blocks(json::Value item) const {
    return has(policy_.blocking, item.find("severity").if_string().value_or("")) &&
           (item.find("finding_id").is_string() || !item.find("fixed_in_iteration").if_uint());
  }
  static void write(const Finding& finding, event::ReviewMoved& moved) {
    event::ReviewFinding& written = *moved.add_findings();
    written.set_id(finding.id);
    written.set_blocks(finding.blocks);
    written.set_found_in(finding.found_in);
    written.set_fixed_in(finding.fixed_in);
  }

  const AcceptMessage& command_;
  const profile::ReviewPolicy& policy_;
  const Review& review_;
  std::map<std::string, Finding> standing_;
  std::vector<std::string> named_;
  bool nameless_ = false;
};

base::Result<> check_approved(const AcceptMessage& command, const Review& review, const Judging& judging,
                              const Given& given) {
  const std::vector<std::string> findings = judging.in_the_way(), failed = unverified(command, review, given);
  if (findings.empty() && failed.empty()) return {};
  const profile::ReviewPolicy& policy = *command.ruleset.reviews;
  std::string why, hint;
  if (!findings.empty()) {
    why = listed(findings) + (findings.size() == 1 ? " stands" : " stand");
    hint = " As long as a finding of severity " + listed(policy.blocking) +
           " stands nothing is approved: say in which iteration it was fixed, or send the work back.";
  }
  if (!failed.empty()) {
    why += (why.empty() ? "" : ", and ") + listed(failed) + " did not pass or is missing";
    hint += " The request asks for these verifications: run them, and say of each whether it passed.";
    if (given.unsigned_checks == UnsignedChecks::missing && !unsigned_of(review, given).empty())
      hint +=
          " Here custom checks count only as a runner signed them: `parley review run-checks --sign KEY`, and send "
          "what it signed as the message's evidence.";
  }
  const std::string_view other = policy.word_of(ReviewState::changes_requested);
  if (!other.empty()) hint += " Else the verdict is " + quoted(other) + ", with what must change.";
  return base::fail(
      ErrorCode::VERDICT_UNFOUNDED,
      "review " + quoted(review.id.view()) + " cannot be " + quoted(policy.word_of(ReviewState::approved)) + ": " + why,
      findings.empty() ? "verification" : "findings", hint.substr(1));
}

base::Result<> check_sent_back(const AcceptMessage& command, const Judging& judging,
                               const std::vector<std::string>& changes) {
  if (!judging.named().empty() && !changes.empty()) return {};
  return base::fail(ErrorCode::VERDICT_UNFOUNDED,
                    quoted(command.ruleset.reviews->word_of(ReviewState::changes_requested)) +
                        " names what was found and what must change; there " +
                        (judging.named().empty() ? "is no finding" : "is no required change"),
                    judging.named().empty() ? "findings" : "required_changes");
}

void warn_of_unsigned(const Review& review, const Given& given, std::vector<base::Problem>& warnings) {
  const std::vector<std::string> names = unsigned_of(review, given);
  if (names.empty()) return;
  warnings.push_back({"", "UNSIGNED",
                      "No runner has signed the results of " + listed(names) +
                          ": they are the reviewer's word. `parley review run-checks --sign KEY` has "
                          "them signed."});
}

void write_signed(const envelope::Statement& statement, event::ReviewMoved& moved) {
  event::Attested& written = *moved.mutable_attested();
  written.set_runner(statement.runner);
  written.set_at(base::unix_us(statement.at));
  written.set_tree(statement.tree.data(), statement.tree.size());
  written.set_changed(statement.changed);
}

// COL-13.
base::Result<> check_related(const AcceptMessage& command, const Judging& judging) {
  const json::Value changes = envelope::value(command.envelope, "required_changes");
  for (const json::Value change : changes.elements())
    for (const json::Value related : change.find("related_findings").elements()) {
      const auto id = related.if_string();
      if (!id || judging.knows(std::string(*id))) continue;
      return base::fail(ErrorCode::FINDING_UNKNOWN,
                        "required change " + quoted(change.find("change_id").if_string().value_or("")) +
                            " is about finding " + quoted(*id) + ", which no review of the task has",
                        "required_changes",
                        judging.named().empty() ? "" : "This result has " + listed(judging.named()) + ".");
    }
  return {};
}

}  // namespace

base::Result<> write_criteria(const AcceptMessage& command, event::ReviewMoved& moved) {
  const json::Value criteria = envelope::value(command.envelope, "criteria");
  for (const auto& [criterion, verification] : command.ruleset.reviews->criteria)
    if (criteria.find(criterion).if_bool().value_or(false)) moved.add_required(verification);
  const std::vector<std::string> checks = names_in(command.envelope, "checks", "name");
  PARLEY_CHECK(check_names(checks, "checks", "checks"));
  for (const std::string& name : checks) moved.add_checks(name);
  PARLEY_TRY(std::vector<std::string> asked, asked_in(command.envelope, checks));
  for (std::string& as : asked) moved.add_asked(std::move(as));
  return {};
}

base::Result<> write_verdict(const AcceptMessage& command, const Review& review, const ReviewedTask& task,
                             ReviewState verdict, const Given& given, event::ReviewMoved& moved,
                             std::vector<base::Problem>& warnings) {
  Judging judging(command, review, task);
  PARLEY_CHECK(judging.take(moved));
  const std::vector<std::string> changes = names_in(command.envelope, "required_changes", "change_id");
  PARLEY_CHECK(check_names(changes, "required changes", "required_changes"));
  PARLEY_CHECK(check_related(command, judging));
  if (verdict != ReviewState::rejected) judging.mend_unnamed(related_in(command.envelope), moved);
  if (verdict == ReviewState::approved) PARLEY_CHECK(check_approved(command, review, judging, given));
  if (verdict == ReviewState::changes_requested) PARLEY_CHECK(check_sent_back(command, judging, changes));
  if (given.statement) write_signed(*given.statement, moved);
  if (verdict == ReviewState::approved) warn_of_unsigned(review, given, warnings);
  for (const std::string& change : changes) moved.add_changes(change);
  return {};
}

}  // namespace parley::engine
