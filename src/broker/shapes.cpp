#include "broker/shapes.hpp"

#include <array>
#include <charconv>

#include "base/excerpt.hpp"
#include "engine/engine.hpp"
#include "engine/mailboxes/delivery_error.hpp"
#include "envelope/kind.hpp"

namespace parley::broker {
void write_amount(json::Writer& writer, std::string_view name, engine::Amount amount) {
  writer.key(name).raw(engine::text_of(amount));
}

std::string_view name(engine::ReceiptState state) {
  using engine::ReceiptState;
  switch (state) {
    case ReceiptState::queued:
      return "queued";
    case ReceiptState::leased:
      return "offered";
    case ReceiptState::waiting:
      return "waiting";
    case ReceiptState::acked:
      return "acked";
    case ReceiptState::offered:
      return "offered";
    case ReceiptState::expired:
      return "expired";
    case ReceiptState::dead:
      return "dead";
    case ReceiptState::bounced:
      return "bounced";
    case ReceiptState::superseded:
      return "superseded";
    case ReceiptState::held:
      return "held";
    case ReceiptState::rejected:
      return "rejected";
    case ReceiptState::rescinded:
      return "rescinded";
    case ReceiptState::acted:
      return "acted";
    case ReceiptState::discarded:
      return "discarded";
  }
  return "";
}

std::string delivery_id(base::Offset offset, std::uint32_t epoch) {
  std::array<char, 32> text;  // 20 digits, the dash, 10 digits
  char* at = std::to_chars(text.begin(), text.begin() + 20, offset.value).ptr;
  *at++ = '-';
  return {text.begin(), std::to_chars(at, text.end(), epoch).ptr};
}

engine::DeliveryId parse_delivery(std::string_view text) {
  engine::DeliveryId id;
  const char* const end = text.data() + text.size();
  const auto offset = std::from_chars(text.data(), end, id.offset.value);
  if (offset.ec != std::errc() || offset.ptr == end || *offset.ptr != '-') return {};
  const auto epoch = std::from_chars(offset.ptr + 1, end, id.epoch);
  return epoch.ec == std::errc() && epoch.ptr == end ? id : engine::DeliveryId{};
}

std::vector<base::Problem> problems_of(std::initializer_list<const Problems*> lists) {
  std::vector<base::Problem> problems;
  for (const Problems* const list : lists)
    for (const event::Problem& problem : *list)
      problems.push_back({problem.instance(), problem.schema(), problem.message()});
  return problems;
}

void write_problems(json::Writer& writer, const Problems& problems) {
  writer.begin_array();
  for (const event::Problem& problem : problems)
    writer.begin_object()
        .member("instance", problem.instance())
        .member("schema", problem.schema())
        .member("message", problem.message())
        .end_object();
  writer.end_array();
}

const event::MessageAccepted& accepted_of(const event::Event& event) {
  return event.has_message_released() ? event.message_released().as() : event.message_accepted();
}

namespace {

// Who says what to whom.
void write_head(json::Writer& writer, const engine::Registry& registry, const event::MessageAccepted& accepted) {
  const base::AgentNumber sender(accepted.sender());
  const bool by_server = sender == base::AgentNumber{};  // R31: to one recipient, in its profile
  const base::AgentNumber speaker = by_server ? base::AgentNumber(accepted.recipients(0)) : sender;
  writer.member("from", by_server ? profile::server_role : std::string_view(registry.agent(sender).id));
  writer.member("profile", registry.agent(speaker).properties.profile);
  writer.key("to").begin_array();
  if (accepted.broadcast())
    writer.string("*");
  else
    for (const std::uint32_t agent : accepted.recipients()) writer.string(registry.agent(base::AgentNumber(agent)).id);
  writer.end_array().member("type", accepted.native_type());
  writer.member("kind", envelope::name(static_cast<envelope::Kind>(accepted.kind())));
  writer.member("priority", envelope::name(static_cast<envelope::Priority>(accepted.priority())));
  writer.member("delivery", std::string_view(accepted.at_most_once() ? "at_most_once" : "at_least_once"));
  if (accepted.has_expires_at()) writer.member("expires_at", base::to_rfc3339(base::instant_of(accepted.expires_at())));
}

// What it is about, and the messages that it has to do with.
void write_links(json::Writer& writer, const event::MessageAccepted& accepted) {
  if (!accepted.task().empty()) writer.member("task", accepted.task());
  if (!accepted.correlation().empty()) writer.member("correlation_id", accepted.correlation());
  if (!accepted.reply_to().empty()) writer.member("reply_to", accepted.reply_to());
  if (!accepted.conversation().empty()) writer.member("conversation_id", accepted.conversation());
  if (accepted.supersedes() > 0)
    writer.key("supersedes")
        .begin_object()
        .member("message_id", accepted.superseded_id())
        .member("offset", accepted.supersedes())
        .end_object();
  if (accepted.reply_by())
    writer.member("reply_by", base::to_rfc3339(base::instant_of(accepted.answer_due())));
  else if (accepted.answer_due() > 0)
    writer.member("answer_due", base::to_rfc3339(base::instant_of(accepted.answer_due())));
  if (accepted.hops() > 0)
    writer.member("caused_by", accepted.cause()).member("root", accepted.root()).member("hops", accepted.hops());
  if (accepted.answers() > 0) writer.member("answers", accepted.answers());
  if (accepted.extends() > 0) writer.member("extends", accepted.extends());
  if (accepted.has_postpones()) {
    writer.member("asks_again", accepted.postpones().request());
    writer.member("again_at", base::to_rfc3339(base::instant_of(accepted.postpones().again_at())));
  }
}

// What came of it at once, mechanism by mechanism.
void write_moves(json::Writer& writer, const event::MessageAccepted& accepted) {
  if (accepted.has_task_moved()) {
    const event::TaskMoved& moved = accepted.task_moved();
    writer.member("task_state", machine::task::name(static_cast<engine::TaskState>(moved.state())));
    writer.member("task_epoch", moved.epoch());
  }
  if (accepted.has_review_moved())
    writer.member("review_state",
                  machine::review::name(static_cast<engine::ReviewState>(accepted.review_moved().state())));
  if (accepted.has_error_moved()) {
    writer.member("error_state",
                  machine::error_case::name(static_cast<engine::ErrorState>(accepted.error_moved().state())));
    writer.key("errors").begin_array();
    for (const std::uint64_t error : accepted.error_moved().errors()) writer.unsigned_integer(error);
    writer.end_array();
  }
  if (!accepted.evidence().empty()) writer.member("evidence", accepted.evidence());
  if (accepted.approval_due() > 0)
    writer.member("approval_due", base::to_rfc3339(base::instant_of(accepted.approval_due())));
  if (accepted.automatic()) writer.member("automatic", true);
  if (accepted.has_help_moved())
    writer.member("help_state", name(static_cast<engine::HelpState>(accepted.help_moved().state())));
  if (accepted.has_collaboration_moved()) writer.member("collaboration_id", accepted.collaboration_moved().id());
  if (accepted.held()) writer.member("held", accepted.approval_why());
  if (accepted.told().state() > 0)
    writer.member("health", name(static_cast<engine::HealthState>(accepted.told().state())));
  if (accepted.told().breaker() > 0)
    writer.member("breaker", name(static_cast<engine::BreakerState>(accepted.told().breaker())));
}

}  // namespace

void write_accepted(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset, base::Instant at,
                    const event::MessageAccepted& accepted) {
  writer.member("offset", offset.value).member("message_id", accepted.message_id());
  writer.member("logged_at", base::to_rfc3339(at));
  writer.member("processing_duration_ms", static_cast<double>(accepted.processing_us()) / 1000.0);
  write_head(writer, workspace.registry, accepted);
  write_links(writer, accepted);
  write_moves(writer, accepted);
  if (accepted.validation_errors_size() > 0) {
    writer.key("validation_errors");
    write_problems(writer, accepted.validation_errors());
  }
  if (accepted.warnings_size() > 0) {
    writer.key("warnings");
    write_problems(writer, accepted.warnings());
  }
}

void write_request(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  const engine::Request* const request = workspace.requests.find(offset);
  if (!request) return;
  writer.key("request").begin_object().member("due", base::to_rfc3339(request->due)).key("waiting_for").begin_array();
  for (const base::AgentNumber agent : request->waiting) writer.string(workspace.registry.agent(agent).id);
  writer.end_array().end_object();
}

void write_reference(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  writer.begin_object();
  if (const engine::Message* const message = workspace.messages.find(offset))
    writer.member("message_id", message->id.view());
  writer.member("offset", offset.value).end_object();
}

void write_replacement(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset) {
  if (const base::Offset* const after = workspace.replacements.after(offset)) {
    if (*after == base::Offset{}) {
      writer.member("rescinded", true);
    } else {
      writer.key("superseded_by");
      write_reference(writer, workspace, *after);
    }
  }
}

std::string delivery_error(const engine::Workspace& workspace, base::Offset offset, const engine::Message& message,
                           const engine::Receipt& receipt, const profile::RetryPolicy& policy) {
  const auto error = delivery_error_of(workspace, offset, receipt, policy);
  if (!error) return {};
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("original_message_id", message.id.view());
  writer.member("error_type", name(error->type));
  writer.member("retry_count", error->retries).member("max_retries", error->retries_max);
  if (error->next_retry_at) writer.member("next_retry_at", base::to_rfc3339(*error->next_retry_at));
  writer.end_object();
  return text;
}

void write_receipts(json::Writer& writer, const engine::Workspace& workspace, base::Offset offset,
                    const engine::Message& message, const profile::RetryPolicy& policy) {
  writer.key("receipts").begin_array();
  for (const engine::Receipt& receipt : message.receipts) {
    writer.begin_object().member("recipient", workspace.registry.agent(receipt.agent).id);
    writer.member("state", name(receipt.state)).member("offers", receipt.epoch).member("attempts", receipt.attempts);
    if (receipt.state == engine::ReceiptState::bounced && receipt.bounce != engine::Bounce::none)
      writer.member("why", engine::bounce_names[static_cast<std::size_t>(receipt.bounce)]);
    if (receipt.state == engine::ReceiptState::leased) writer.member("lease_until", base::to_rfc3339(receipt.until));
    if (receipt.state == engine::ReceiptState::waiting) writer.member("retrying_at", base::to_rfc3339(receipt.until));
    if (const std::string error = delivery_error(workspace, offset, message, receipt, policy); !error.empty())
      writer.key("delivery_error").raw(error);
    writer.end_object();
  }
  writer.end_array();
}

std::string task_error_of(const event::MessageAccepted& accepted) {
  using engine::SuggestedAction;
  const event::TaskError& error = accepted.task_error();
  auto suggested = static_cast<SuggestedAction>(error.suggested());
  if (suggested == SuggestedAction::none)  // the server's own, whose shape wants one
    suggested = error.recoverable() ? SuggestedAction::retry : SuggestedAction::reassign;
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("task_id", accepted.task());
  writer.member("error_type", engine::task_error_names[error.type()])
      .member("error_message", base::excerpt(error.message(), 1'000));
  writer.member("recoverable", error.recoverable());
  writer.member("suggested_action", engine::suggested_action_names[static_cast<std::size_t>(suggested)]).end_object();
  return text;
}

}  // namespace parley::broker
