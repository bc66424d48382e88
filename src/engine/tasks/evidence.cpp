#include "engine/tasks/evidence.hpp"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>

#include "base/glob.hpp"
#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::listed;
using base::quoted;

constexpr std::size_t terms_max = 1'000;         // entries of one list (D11)
constexpr std::size_t terms_bytes_max = 16'384;  // of all of them
constexpr std::size_t glob_max = 512;
constexpr std::size_t path_max = 4'096;            // longer ones are in no scope
constexpr std::uint64_t match_steps = 10'000'000;  // of all matches of a completion: some milliseconds (D11)
constexpr std::size_t paths_named = 10;            // in a refusal

// Strings, or objects with a `path`.
template <class Take>
void visit_paths(json::Value list, Take take) {
  for (const json::Value item : list.elements())
    if (const auto path = item.is_object() ? item.find("path").if_string() : item.if_string()) take(*path);
}

// Of a list, or of an object's lists.
template <class Take>
void visit_paths(const envelope::Envelope& envelope, std::string_view name, Take take) {
  const json::Value value = envelope::value(envelope, name);
  visit_paths(value, take);
  for (const auto [member, list] : value.members()) visit_paths(list, take);
}

// The changed files outside; none where it would take too long to tell.
std::optional<std::vector<std::string>> outside(const envelope::Envelope& envelope, const base::PackedTexts& scope) {
  std::uint64_t steps = 0;
  std::vector<std::string> found;
  visit_paths(envelope, "changes", [&](std::string_view path) {
    const bool inside = path.size() <= path_max && std::any_of(scope.begin(), scope.end(), [&](std::string_view glob) {
                          return steps <= match_steps && base::glob_matches(glob, path, steps);
                        });
    if (!inside) found.emplace_back(path);
  });
  return steps > match_steps ? std::nullopt : std::optional(std::move(found));
}

base::Result<> check_scope(const envelope::Envelope& envelope, const Task& task) {
  if (task.terms.scope.empty()) return {};
  if (!envelope::value(envelope, "changes"))  // of a lenient workspace
    return base::fail(ErrorCode::EVIDENCE_MISSING,
                      "the completion does not say what it changed, and its task has a scope", "changes");
  const auto found = outside(envelope, task.terms.scope);
  if (!found)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE, "so many files cannot be held against so wide a scope", "changes",
                      "Complete the work as several tasks.");
  if (found->empty()) return {};
  return base::fail(
      ErrorCode::SCOPE_VIOLATION,
      "task " + quoted(task.id.view()) + " was changed outside its scope: " + listed(*found, paths_named), "changes",
      "Its scope is " + listed(std::vector<std::string>(task.terms.scope.begin(), task.terms.scope.end()), terms_max) +
          ". Undo what lies outside and complete it again, or ask for a wider scope; the task goes on.");
}

base::Result<> check_tests(const AcceptMessage& command, const Task& task) {
  if (!task.terms.testing_required) return {};
  if (is_in_part(command)) return {};
  const json::Value review = envelope::value(command.envelope, "self_review");
  const bool run = review.find("tests_run").if_bool().value_or(false);
  if (run && review.find("tests_passed").if_bool().value_or(true)) return {};
  return base::fail(ErrorCode::EVIDENCE_MISSING,
                    "task " + quoted(task.id.view()) + " requires testing, and its tests were " +
                        (run ? "run and did not pass" : "not run"),
                    "self_review",
                    "Run the tests until they pass, or complete it in part or as failed, with blockers.");
}

// `bytes`: of all lists so far.
base::Result<> write_list(const envelope::Envelope& envelope, std::string_view name, std::size_t& bytes,
                          google::protobuf::RepeatedPtrField<std::string>& out) {
  std::size_t longest = 0;
  visit_paths(envelope, name, [&](std::string_view path) {
    longest = std::max(longest, path.size());
    bytes += path.size();
    out.Add()->assign(path);
  });
  if (longest > glob_max)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "an entry has " + std::to_string(longest) + " bytes; the limit is " + std::to_string(glob_max),
                      std::string(name));
  if (static_cast<std::size_t>(out.size()) > terms_max || bytes > terms_bytes_max)
    return base::fail(ErrorCode::PAYLOAD_TOO_LARGE,
                      "scope and reference files of a task are kept up to " + std::to_string(terms_max) +
                          " entries each and " + std::to_string(terms_bytes_max) + " bytes together",
                      std::string(name), "Use globs that cover more.");
  return {};
}

}  // namespace

base::Result<> write_terms(const envelope::Envelope& envelope, event::TaskMoved& moved) {
  std::size_t bytes = 0;
  PARLEY_CHECK(write_list(envelope, "scope", bytes, *moved.mutable_scope()));
  PARLEY_CHECK(write_list(envelope, "reference_files", bytes, *moved.mutable_reference_files()));
  moved.set_testing_required(envelope::field(envelope, "testing_required") == "true");
  // Of a lenient workspace (R5): what is no threshold, and what is neither true nor false, asks for a human too.
  const auto threshold = number_in(envelope, "confidence_threshold");
  const std::string_view asks = envelope::field(envelope, "needs_approval");
  moved.set_confidence_threshold(threshold.value_or(0));
  moved.set_needs_approval((!asks.empty() && asks != "false") ||
                           (!threshold && !envelope::field(envelope, "confidence_threshold").empty()));
  return {};
}

bool is_in_part(const AcceptMessage& command) {
  const std::string_view status = envelope::unquoted(envelope::field(command.envelope, "status"));
  const auto& words = command.ruleset.partial_words;
  return std::find(words.begin(), words.end(), status) != words.end();
}

base::Result<> check_evidence(const AcceptMessage& command, const Task& task) {
  PARLEY_CHECK(check_scope(command.envelope, task));
  return command.envelope.kind == envelope::Kind::task_complete ? check_tests(command, task) : base::Result<>{};
}

std::vector<std::string> unread_files(const envelope::Envelope& envelope, const Task& task) {
  const auto& wanted = task.terms.reference_files;
  if (wanted.empty()) return {};
  absl::flat_hash_set<std::string_view> left(wanted.begin(), wanted.end());
  visit_paths(envelope, "files_read", [&left](std::string_view path) { left.erase(path); });
  std::vector<std::string> unread;
  for (const std::string_view path : wanted)
    if (left.contains(path)) unread.emplace_back(path);
  return unread;
}

}  // namespace parley::engine
