#include "gateway/form/form.hpp"

namespace parley::gateway::form {
namespace {

void write_problems(json::Writer& writer, std::span<const base::Problem> problems) {
  if (problems.empty()) return static_cast<void>(writer.raw("[]"));
  writer.begin_array();
  for (const base::Problem& problem : problems)
    writer.begin_object()
        .member("instance", problem.instance)
        .member("schema", problem.schema)
        .member("message", problem.message)
        .end_object();
  writer.end_array();
}

}  // namespace

void write_error(json::Writer& writer, const base::Error& error) {
  writer.begin_object().member("code", info(error.code).name).member("message", error.message);
  writer.member("hint", error.hint_text()).member("where", error.where);
  if (!error.legal_next.empty()) {
    writer.key("legal_next").begin_array();
    for (const std::string& move : error.legal_next) writer.string(move);
    writer.end_array();
  }
  if (error.retry_after > base::Duration{}) writer.member("retry_after", base::to_text(error.retry_after));
  writer.key("details");
  write_problems(writer, error.details);
  writer.end_object();
}

base::Error too_much_waits() {
  base::Error error = base::error(base::ErrorCode::OVERLOADED, "too many messages wait for their turn", {},
                                  "Send it again in a second.");
  error.retry_after = std::chrono::seconds(1);
  return error;
}

std::string error_body(const base::Error& error) {
  std::string body;
  json::Writer writer(body);
  writer.begin_object().key("error");
  write_error(writer, error);
  writer.end_object();
  return body;
}

void write_sent(json::Writer& writer, const base::Result<broker::Sent>& sent) {
  writer.begin_object();
  if (!sent) {
    writer.key("error");
    write_error(writer, sent.error());
  } else {
    writer.member<"message_id">(sent->message_id).member<"offset">(sent->offset.value);
    writer.member<"status">(json::Plain(sent->duplicate ? "duplicate" : "accepted"));
    writer.key<"warnings">();
    write_problems(writer, sent->warnings);
  }
  writer.end_object();
}

namespace {

// As text: the same in all deliveries of one offer.
class LeaseEnd {
 public:
  const std::string& text(base::Instant at) {
    if (text_.empty() || at != at_) text_ = base::to_rfc3339(at_ = at);
    return text_;
  }

 private:
  base::Instant at_;
  std::string text_;
};

// What stands before its message.
void write_details(json::Writer& writer, const broker::DeliveryDetails& details) {
  if (details.task_deadline) writer.member("task_deadline", base::to_rfc3339(*details.task_deadline));
  if (details.task_timeout > base::Duration{}) writer.member("task_timeout", base::to_text(details.task_timeout));
  if (!details.pending.empty()) {
    writer.key<"pending">().begin_array();
    for (const std::string& task : details.pending) writer.string(task);
    writer.end_array();
  }
  if (!details.task_error.empty()) writer.key("task_error").raw(details.task_error);
  if (details.reply_by) writer.member("reply_by", base::to_rfc3339(*details.reply_by));
  if (details.supersedes != base::Offset{})
    writer.key("supersedes")
        .begin_object()
        .member("message_id", details.superseded_id)
        .member("offset", details.supersedes.value)
        .end_object();
}

void write_made(json::Writer& writer, const broker::DeliveryDetails& details) {
  if (details.made_id.empty() && !details.made_timestamp) return;
  writer.key("made").begin_object();
  if (!details.made_id.empty()) writer.member("message_id", details.made_id);
  if (details.made_timestamp) writer.member("timestamp", base::to_rfc3339(*details.made_timestamp));
  writer.end_object();
}

void append_delivery(std::string& out, const broker::Delivery& delivery, LeaseEnd& lease_end) {
  const broker::DeliveryDetails* const details = delivery.details.get();
  json::Writer writer(out);
  writer.begin_object()
      .member<"delivery_id">(json::Plain(delivery.delivery_id))
      .member<"offset">(delivery.offset.value);
  writer.member<"attempt">(delivery.attempt);
  if (delivery.lease_until) writer.member<"lease_until">(json::Plain(lease_end.text(*delivery.lease_until)));
  writer.member<"priority">(json::Plain(envelope::name(delivery.priority)));
  if (delivery.task_epoch > 0) writer.member<"task_epoch">(delivery.task_epoch);
  if (details) write_details(writer, *details);
  if (delivery.by_server) writer.member<"origin">(std::string_view("server"));
  if (delivery.notice)
    writer.key<"notice">().raw(delivery.message);
  else
    writer.member<"profile">(delivery.profile).key<"message">().raw(delivery.message);
  if (details) write_made(writer, *details);
  writer.key<"warnings">();
  write_problems(writer, details ? std::span(details->warnings) : std::span<const base::Problem>());
  writer.end_object();
}

}  // namespace

void append_deliveries(std::string& out, std::span<const broker::Delivery> deliveries) {
  LeaseEnd lease_end;
  for (const broker::Delivery& delivery : deliveries) {
    if (&delivery != &deliveries.front()) out += ',';
    append_delivery(out, delivery, lease_end);
  }
}

void write_receipt(json::Writer& writer, const broker::ReceiptChange& change) {
  writer.begin_object().member("message_id", change.message_id).member("offset", change.offset.value);
  writer.member("recipient", change.recipient).member("state", change.state);
  writer.member("at", base::to_rfc3339(change.at));
  if (!change.why.empty()) writer.member("why", change.why);
  if (change.retrying_at) writer.member("retrying_at", base::to_rfc3339(*change.retrying_at));
  if (!change.error.empty()) writer.key("delivery_error").raw(change.error);
  writer.end_object();
}

void write_settled(json::Writer& writer, std::span<const std::string_view> ids,
                   std::span<const broker::Settled> settled) {
  writer.begin_array();
  for (std::size_t i = 0; i < ids.size(); ++i)
    writer.begin_object().member<"delivery_id">(ids[i]).member<"status">(json::Plain(name(settled[i]))).end_object();
  writer.end_array();
}

base::Result<std::optional<base::Duration>> duration_member(json::Value object, std::string_view key) {
  constexpr base::Duration longest = std::chrono::days(36'500);  // so that now + duration stays a time
  const json::Value value = object.find(key);
  if (!value) return std::nullopt;
  const std::string where = '/' + std::string(key);
  if (!value.is_string())
    return base::fail(base::ErrorCode::BAD_REQUEST, std::string(key) + " is no text", where,
                      "Write a duration as text: \"100ms\", \"30s\".");
  auto duration = base::parse_duration(value.as_string());
  if (duration && *duration <= longest) return *duration;
  if (duration) return base::fail(base::ErrorCode::BAD_REQUEST, std::string(key) + " is longer than 100 years", where);
  base::Error error = std::move(duration).error();
  error.where = where;
  return std::unexpected(std::move(error));
}

base::Result<base::Duration> lease_member(json::Value object) {
  PARLEY_TRY(const auto lease, duration_member(object, "lease"));
  if (lease && *lease <= base::Duration{})
    return base::fail(base::ErrorCode::BAD_REQUEST, "a lease of no time", "/lease",
                      "Leave it out for the workspace's own.");
  return lease.value_or(base::Duration{});
}

}  // namespace parley::gateway::form
