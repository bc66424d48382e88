// The assignment that follows a review which wants changes, where the workspace has the server write it (R12): its
// profile's `task.revised`, filled in from the order that stood, and from the result.
#include <algorithm>

#include "broker/batch.hpp"
#include "broker/command_of.hpp"
#include "broker/message_calls.hpp"
#include "broker/review_results.hpp"
#include "engine/messages/said.hpp"
#include "ingress/field.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/said.hpp"

namespace parley::broker {
namespace {

using engine::Task;

// Those of the order, and the one that the review has sent back.
std::string attempts_of(json::Value before, std::string_view outcome, std::string_view feedback) {
  std::string text;
  json::Writer writer(text);
  writer.begin_array();
  std::uint64_t number = 0;
  for (const json::Value attempt : before.elements()) {
    writer.value(attempt);
    number = std::max(number + 1, attempt.find("attempt_number").if_uint().value_or(0));
  }
  writer.begin_object().member("attempt_number", number + 1).member("outcome", outcome);
  writer.member("feedback", feedback).end_object().end_array();
  return text;
}

}  // namespace

struct MessageCalls::Revision {
  std::string text;
  json::Document document;
  Incoming incoming;
};

// In the block of the result: whoever reads one reads the other.
void MessageCalls::revise(base::WorkspaceNumber number, base::Offset offset) {
  const engine::Workspace& workspace = core_.state().workspace(number);
  const auto known = workspace.reviews.all().find(offset);
  if (known == workspace.reviews.all().end()) return;  // its task was evicted by what else the result ended
  const engine::Review& review = known->second;
  const Task& task = workspace.tasks.at(review.task);
  if (!workspace.settings.reviews.auto_revision || task.state != engine::TaskState::changes_requested) return;
  const engine::Agent& assigner = workspace.registry.agent(task.assigner);
  const profile::Ruleset* const rules = core_.ruleset_of()(assigner.properties.profile);
  if (assigner.removed || !rules || !rules->says[static_cast<std::size_t>(profile::Occasion::task_revised)]) return;

  const engine::Context now = core_.context();
  Revision revision;
  engine::ReviseTask command{.workspace = number, .task = review.task, .review = offset, .bytes = {}};
  std::optional<engine::AcceptMessage> as;
  const auto written = read_revision(number, offset, *rules, now, revision);
  if (written) {
    as.emplace(command_of(number, task.assigner, *rules, revision.incoming.checked));
    as->id_key = revision.incoming.id_key;
    as->length = static_cast<std::uint32_t>(revision.text.size());
    command.as = &*as;
    command.bytes = revision.text;
  } else {
    command.refused = &written.error();
  }
  core_.decided().clear();
  core_.engine().decide(command, now, core_.decided());
  (void)core_.record_if_room(journal::Need::duty);  // else the assigner revises it as without the setting
}

base::Result<> MessageCalls::read_revision(base::WorkspaceNumber number, base::Offset offset,
                                           const profile::Ruleset& rules, const engine::Context& now,
                                           Revision& revision) {
  const engine::Workspace& workspace = core_.state().workspace(number);
  const engine::Review& review = workspace.reviews.at(offset);
  const Task& task = workspace.tasks.at(review.task);
  const engine::Agent& from = workspace.registry.agent(task.assigner);
  const engine::Agent& to = workspace.registry.agent(task.assignee);
  const auto lacks = [](std::string what) {
    return base::fail(base::ErrorCode::NOT_FOUND, std::move(what) + " cannot be read any more");
  };
  const engine::Message* const order = workspace.messages.find(task.assignment());
  if (!order) return lacks("the order that stood");
  PARLEY_TRY(const std::string_view order_text, core_.history().body(order->position));
  PARLEY_TRY(const json::Document given, json::Document::parse(order_text));
  PARLEY_TRY(const auto result, ReviewResults(core_.history(), workspace.registry, core_.ruleset_of()).read(review));
  if (!result || !result->rules->reviews) return lacks("the result of the review");
  const engine::Message* const message = workspace.messages.find(review.ended_by);

  const json::Value summary = result->field("summary");
  const json::Value changes = result->field("required_changes");
  const std::uint64_t next = core_.decided().next_offset(number);
  revision.text =
      profile::say(rules, profile::Occasion::task_revised,
                   {{{"uuid", engine::made_id(now, next)},
                     {"number", std::to_string(next), true},
                     {"time", base::to_rfc3339(now.now)},
                     {"to", to.id},
                     {"to_type", to.properties.agent_type},
                     {"from", from.id},
                     {"from_type", from.properties.agent_type},
                     {"task", std::string(task.id.view())},
                     {"request", message ? std::string(message->id.view()) : std::string()},
                     {"order", {}, false, given.root()},
                     {"attempts",
                      attempts_of(ingress::field_of(given.root(), rules, "attempts"),
                                  result->rules->reviews->word_of(review.state), summary.if_string().value_or("")),
                      true},
                     {"changes", changes ? json::to_text(changes) : "[]", true},
                     {"deadline", task.watch.deadline > now.now ? base::to_rfc3339(task.watch.deadline) : ""}}})
          .message;
  PARLEY_TRY(revision.document, json::Document::parse(revision.text));
  revision.incoming.native = {revision.text, revision.document.root()};
  revision.incoming.prepare({&rules, ingress::Validation::strict},
                            {.sender = from.id, .now = now.now, .inflate_left = &core_.inflate_left()});
  if (revision.incoming.refusal) return std::unexpected(*revision.incoming.refusal);
  return {};
}

}  // namespace parley::broker
