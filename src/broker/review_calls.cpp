// Reviews as they stand and what was found in a task's reviews, for every member of the workspace (COL-11, COL-13);
// their messages and what a revision must carry, for who takes part. What findings say is read from the results, which
// are in the journal.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <span>

#include "base/quoted.hpp"
#include "broker/list_page.hpp"
#include "broker/review_results.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"
#include "broker/work_calls.hpp"
#include "envelope/statement.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;
using engine::Review;
using engine::ReviewState;

constexpr std::uint64_t results_bytes_max = 8u << 20;  // read of one task's, the newest first

void write_review(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset, const Review& review) {
  const engine::Registry& registry = workspace.registry;
  writer.begin_object().member("review_id", review.id.view()).member("offset", offset.value);
  writer.member("task_id", workspace.tasks.at(review.task).id.view()).member("iteration", review.iteration);
  writer.member("state", machine::review::name(review.state));
  writer.member("asker", registry.agent(review.asker).id).member("reviewer", registry.agent(review.reviewer).id);
  writer.member("asked_at", base::to_rfc3339(review.asked_at));
  if (review.state == ReviewState::requested) {
    writer.member("due", base::to_rfc3339(review.due));
    write_strings(writer, "required", review.required);
    write_strings(writer, "checks", review.checks);
  } else {
    writer.member("ended_at", base::to_rfc3339(review.ended_at));
  }
  if (!review.signed_by) return;
  writer.key("evidence").begin_object().member("runner", review.signed_by->runner.view());
  writer.member("signed_at", base::to_rfc3339(review.signed_by->at));
  writer.member("tree", base::to_hex(review.signed_by->tree));
  if (review.signed_by->changed) writer.member("changed", true);
  writer.end_object();
}

// A finding as one review's result says it.
struct Form {
  json::Value finding;
  const Review* review;
};

// `forms`: at least one, the newest first; the history begins with the oldest.
void write_forms(json::Writer& writer, std::span<const Form> forms) {
  const Form& newest = forms.front();
  writer.member("review_id", newest.review->id.view());
  if (newest.review->signed_by) writer.member("signed_by", newest.review->signed_by->runner.view());
  writer.key("finding").value(newest.finding);
  if (forms.size() == 1) return;
  writer.key("history").begin_array();
  for (const Form& form : std::views::reverse(forms.subspan(1)))
    writer.begin_object()
        .member("iteration", form.review->iteration)
        .member("review_id", form.review->id.view())
        .key("finding")
        .value(form.finding)
        .end_object();
  writer.end_array();
}

const envelope::SignedCheck* find_signed(const std::optional<envelope::Evidence>& evidence, std::string_view name,
                                         bool custom) {
  if (!evidence) return nullptr;
  const auto& checks = evidence->statement().checks;
  const auto at = std::ranges::find_if(
      checks, [&](const envelope::SignedCheck& check) { return check.custom == custom && check.name == name; });
  return at == checks.end() ? nullptr : &*at;
}

// One verification as the result has it, with who vouches for it.
void write_verified(json::Writer& writer, std::string_view name, json::Value claimed, bool custom,
                    const std::optional<envelope::Evidence>& evidence) {
  writer.begin_object().member("name", name).member("custom", custom);
  writer.member("passed", claimed.find("passed").if_bool().value_or(false));
  const envelope::SignedCheck* const check = find_signed(evidence, name, custom);
  writer.member("signed", check != nullptr);
  if (check) {
    writer.member("runner", evidence->statement().runner).member("command", check->command);
    if (check->exit_code) writer.member("exit_code", *check->exit_code);
  }
  writer.end_object();
}

base::Result<> write_messages(json::Writer& writer, History& history, const Review& review) {
  PARLEY_TRY(const std::string_view request, history.body(review.request));
  writer.key("request").raw(request);
  if (!review.result) return {};
  PARLEY_TRY(const std::string_view result, history.body(*review.result));
  writer.key("result").raw(result);
  return {};
}

// What the next assignment carries (R12): a summary of each attempt that was sent back, and what the newest wants
// changed, as it was written.
base::Result<> write_revision(json::Writer& writer, const ReviewResults& results, const engine::Reviews& reviews,
                              const Review& review) {
  std::vector<std::pair<const Review*, std::string>> attempts;  // what was sent back and why, the newest first
  std::uint64_t bytes = 0;
  const engine::ReviewedTask& task = *reviews.of_task(review.task);
  for (auto at = task.reviews.rbegin(); at != task.reviews.rend(); ++at) {
    const Review& one = reviews.at(*at);
    if (one.state != ReviewState::changes_requested) continue;
    attempts.emplace_back(&one, "");
    if (bytes >= results_bytes_max) continue;
    PARLEY_TRY(const auto result, results.read(one));
    if (!result) continue;
    bytes += result->bytes;
    attempts.back().second = result->field("summary").if_string().value_or("");
  }
  writer.key("revision").begin_object().key("previous_attempts").begin_array();
  std::uint32_t attempt = 0;
  for (auto at = attempts.rbegin(); at != attempts.rend(); ++at) {
    const auto& [one, feedback] = *at;
    const profile::Ruleset* const rules = results.rules_of(*one);
    writer.begin_object().member("attempt_number", ++attempt);
    writer.member("outcome",
                  rules && rules->reviews ? rules->reviews->word_of(one->state) : machine::review::name(one->state));
    writer.member("feedback", feedback).end_object();
  }
  writer.end_array();
  PARLEY_TRY(const auto newest, results.read(review));
  writer.key("required_changes");
  if (const json::Value changes = newest ? newest->field("required_changes") : json::Value())
    writer.value(changes);
  else
    writer.begin_array().end_array();
  writer.end_object();
  return {};
}

// What the result says of each verification: signed by a runner, or the reviewer's word (BEY-05).
base::Result<> write_verification(json::Writer& writer, const ReviewResults& results, History& history,
                                  const Review& review) {
  PARLEY_TRY(const auto result, results.read(review));
  const json::Value verification = result ? result->field("verification") : json::Value();
  if (!verification.is_object() || !result->rules->reviews) return {};
  PARLEY_TRY(const event::Event event, history.event(*review.result));
  std::optional<envelope::Evidence> evidence;
  if (const std::string& token = accepted_of(event).evidence(); review.signed_by && !token.empty()) {
    PARLEY_TRY(evidence, envelope::Evidence::parse(token));
  }
  const std::string& custom = result->rules->reviews->custom;
  writer.key("verification").begin_array();
  for (const auto [name, claimed] : verification.members())
    if (name != custom) write_verified(writer, name, claimed, false, evidence);
  for (const auto [name, claimed] : verification.find(custom).members())
    write_verified(writer, name, claimed, true, evidence);
  writer.end_array();
  return {};
}

// Their messages are read as messages are (COR-12): by who takes part, and who looks after the workspace.
bool may_read_messages(const engine::Workspace& workspace, const Caller& caller, const Review& review) {
  if (caller.kind != Caller::Kind::agent) return true;
  const engine::Task& task = workspace.tasks.at(review.task);
  return caller.agent == review.asker || caller.agent == review.reviewer || caller.agent == task.assigner ||
         caller.agent == task.assignee;
}

base::Result<base::Offset> find_review(const engine::Workspace& workspace, std::string_view id) {
  if (const auto offset = workspace.reviews.find(id)) return *offset;
  return base::fail(ErrorCode::NOT_FOUND, "no review " + base::quoted(id) + " is known here", "review_id");
}

}  // namespace

base::Result<Answer> WorkCalls::reviews(const Caller& caller, std::string_view workspace_name, std::string_view state,
                                        std::string_view task, const Page& page) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  return list_by_offset(
      core_.history(), workspace.reviews.all(), page,
      [&](const Review& review) {
        return (state.empty() || machine::review::name(review.state) == state) &&
               (task.empty() || workspace.tasks.at(review.task).id.view() == task);
      },
      [&](json::Writer& writer, base::Offset offset, const Review& review) -> base::Result<> {
        write_review(writer, workspace, offset, review);
        writer.end_object();
        return {};
      });
}

base::Result<Answer> WorkCalls::review(const Caller& caller, std::string_view workspace_name, std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  PARLEY_TRY(const base::Offset offset, find_review(workspace, id));
  const Review& review = workspace.reviews.at(offset);
  const ReviewResults results(core_.history(), workspace.registry, core_.ruleset_of());
  const bool with_messages = may_read_messages(workspace, caller, review);
  Answer answer;
  json::Writer writer(answer.json);
  write_review(writer, workspace, offset, review);
  if (with_messages) PARLEY_CHECK(write_messages(writer, core_.history(), review));
  if (review.result) PARLEY_CHECK(write_verification(writer, results, core_.history(), review));
  const engine::TaskState of_task = workspace.tasks.at(review.task).state;
  const bool newest = workspace.reviews.of_task(review.task)->reviews.back() == offset;
  if (with_messages && newest && review.state == ReviewState::changes_requested &&
      of_task == engine::TaskState::changes_requested)
    PARLEY_CHECK(write_revision(writer, results, workspace.reviews, review));
  writer.end_object();
  return answer;
}

// Each as the newest result that names it says it, with what earlier ones said and what became of it.
base::Result<Answer> WorkCalls::findings(const Caller& caller, std::string_view workspace_name,
                                         std::string_view task_id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(core_.state(), caller, workspace_name, Right::read));
  const engine::Workspace& workspace = core_.state().workspace(number);
  const auto task = workspace.tasks.find(task_id);
  if (!task) return base::fail(ErrorCode::NOT_FOUND, "no task " + base::quoted(task_id) + " is known here", "task_id");
  const engine::ReviewedTask* const reviewed = workspace.reviews.of_task(*task);
  ListPage list;
  if (!reviewed) return list.end();

  const ReviewResults all(core_.history(), workspace.registry, core_.ruleset_of());
  std::vector<ReviewResult> results;                   // whose values are written below
  std::map<std::string_view, std::vector<Form>> said;  // the newest first
  std::uint64_t bytes = 0;
  for (auto at = reviewed->reviews.rbegin(); at != reviewed->reviews.rend() && bytes < results_bytes_max; ++at) {
    const Review& review = workspace.reviews.at(*at);
    PARLEY_TRY(auto result, all.read(review));
    if (!result) continue;
    bytes += result->bytes;
    results.push_back(std::move(*result));
    for (const json::Value finding : results.back().field("findings").elements())
      if (const auto id = finding.find("finding_id").if_string()) said[*id].push_back({finding, &review});
  }
  for (const engine::Finding& finding : reviewed->findings) {
    list.writer.begin_object().member("finding_id", finding.id).member("blocks", finding.blocks);
    list.writer.member("found_in_iteration", finding.found_in);
    if (finding.fixed_in != 0) list.writer.member("fixed_in_iteration", finding.fixed_in);
    if (const auto forms = said.find(finding.id); forms != said.end()) write_forms(list.writer, forms->second);
    list.writer.end_object();
  }
  return list.end();
}

}  // namespace parley::broker
