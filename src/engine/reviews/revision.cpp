#include "engine/reviews/revision.hpp"

#include <algorithm>

#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"

namespace parley::engine {
namespace {

using base::listed;
using base::quoted;

// Of the review whose changes are due.
std::string newest_id(const Workspace& workspace, const ReviewedTask& reviewed) {
  return quoted(workspace.reviews.at(reviewed.reviews.back()).id.view());
}

// Also where a revision was given, and another is given in its place: it was declined, failed or is corrected.
bool are_due(const Workspace& workspace, const Task& task, const ReviewedTask& reviewed) {
  if (task.state == TaskState::changes_requested) return true;
  return !reviewed.reviews.empty() &&
         workspace.reviews.at(reviewed.reviews.back()).state == ReviewState::changes_requested;
}

std::size_t count_in(const envelope::Envelope& envelope, std::string_view name) {
  const json::Value list = envelope::value(envelope, name);
  std::size_t count = 0;
  for ([[maybe_unused]] const json::Value item : list.elements()) ++count;
  return count;
}

std::vector<std::string> lacking(const envelope::Envelope& envelope, const ReviewedTask& reviewed) {
  std::vector<std::string> carried;
  const json::Value list = envelope::value(envelope, "required_changes");
  for (const json::Value change : list.elements())
    if (const auto id = change.find("change_id").if_string()) carried.emplace_back(*id);
  std::sort(carried.begin(), carried.end());
  std::vector<std::string> missing = reviewed.changes;
  std::erase_if(missing, [&](const std::string& id) { return std::binary_search(carried.begin(), carried.end(), id); });
  return missing;
}

}  // namespace

base::Result<> check_revision(const AcceptMessage& command, const Workspace& workspace, Offset offset) {
  const Task& task = workspace.tasks.at(offset);
  const ReviewedTask* const reviewed = workspace.reviews.of_task(offset);
  if (!reviewed || !command.ruleset.reviews || !are_due(workspace, task, *reviewed)) return {};
  const std::size_t attempts = count_in(command.envelope, "attempts");
  const std::vector<std::string> missing = lacking(command.envelope, *reviewed);
  if (attempts >= reviewed->sent_back && missing.empty()) return {};

  const std::string review = newest_id(workspace, *reviewed);
  std::string lacks, hint;
  if (attempts < reviewed->sent_back) {
    const std::string number = std::to_string(reviewed->sent_back);
    lacks = "a summary of attempt " + number;
    hint = "Add to the earlier attempts, of which there are " + std::to_string(attempts) +
           ": {\"attempt_number\": " + number + ", \"outcome\": \"" +
           std::string(command.ruleset.reviews->word_of(ReviewState::changes_requested)) +
           "\", \"feedback\": the summary of review " + review + "}.";
  }
  if (!missing.empty()) {
    lacks += (lacks.empty() ? "" : ", and ") + ("the required changes " + listed(missing));
    hint += std::string(hint.empty() ? "" : " ") + "Carry the required changes as the result of review " + review +
            " has them: " + listed(missing) + ".";
  }
  return base::fail(
      base::ErrorCode::REVISION_INCOMPLETE,
      "task " + quoted(task.id.view()) + " was sent back by review " + review + ": its revision lacks " + lacks,
      attempts < reviewed->sent_back ? "attempts" : "required_changes", std::move(hint));
}

std::uint32_t iterations_in(const envelope::Envelope& envelope) {
  const double stated = number_in(envelope, "max_iterations").value_or(0);
  return stated >= 1 ? static_cast<std::uint32_t>(std::min(stated, static_cast<double>(reviews_max))) : 0;
}

}  // namespace parley::engine
