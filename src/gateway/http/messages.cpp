// POST …/messages: one native message, an array of them, or one a line (NDJSON). Each stands on its own (MSH-12).
// POST …/messages/{message_id}/supersede: one, in the place of another.
#include <algorithm>

#include "envelope/limits.hpp"
#include "gateway/form/form.hpp"
#include "gateway/http/answers.hpp"
#include "gateway/http/gateway.hpp"
#include "gateway/http/media.hpp"
#include "json/parts.hpp"

namespace parley::gateway::http {
namespace {

using base::ErrorCode;

constexpr std::size_t batch_max = envelope::sent_messages_max;
constexpr std::size_t key_bytes_max = 256;

bool is_array(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '[';
}

// A batch may be larger than a message, and has its messages one level deeper. Each is held to its own size by ingress.
json::Limits batch_limits(std::string_view text) {
  json::Limits limits;
  limits.bytes = envelope::sent_bytes_max;
  if (is_array(text)) limits.depth += 1;
  return limits;
}

base::Result<std::string_view> idempotency_key(const net::http::Head& head, bool many) {
  const std::string_view key = head.find("Idempotency-Key");
  if (key.empty() && head.has("Idempotency-Key"))
    return base::fail(ErrorCode::BAD_REQUEST, "the Idempotency-Key is empty", "Idempotency-Key");
  if (key.empty() || (!many && key.size() <= key_bytes_max)) return key;
  return base::fail(ErrorCode::BAD_REQUEST,
                    many ? "one Idempotency-Key cannot name many messages"
                         : "the Idempotency-Key has " + std::to_string(key.size()) + " bytes, the limit is " +
                               std::to_string(key_bytes_max),
                    "Idempotency-Key", many ? "Give each message an id of its own." : "");
}

// What the call says beside the message; it is about one message alone where it supersedes one, or has evidence.
base::Result<broker::SendOptions> options_of(const Match& match, const net::http::QueryParameters& query,
                                             const net::http::Head& head) {
  broker::SendOptions options;
  options.evidence = head.find("Parley-Evidence");
  if (match.route->call == Call::supersede_message) options.supersedes = match.parameters[1];
  for (const auto& [key, value] : query) {
    if (key == "to") options.to = value;
    if (key != "reply_by") continue;
    const auto at = base::parse_rfc3339(value);
    if (!at)
      return base::fail(ErrorCode::BAD_REQUEST, "`reply_by` is no RFC 3339 date-time", "?reply_by",
                        "Write it as 2026-02-03T09:00:00Z.");
    options.reply_by = *at;
  }
  return options;
}

base::Result<> check_one(const broker::SendOptions& options, bool many) {
  if (many && !options.evidence.empty())
    return base::fail(ErrorCode::BAD_REQUEST, "one Parley-Evidence cannot go with many messages", "Parley-Evidence",
                      "Send the message that it is about alone.");
  if (!many || options.supersedes.empty()) return {};
  return base::fail(ErrorCode::BAD_REQUEST, "many messages cannot stand in the place of one", {},
                    "Send one native message.");
}

net::http::Response too_many(std::size_t count) {
  return error_response(
      base::error(ErrorCode::PAYLOAD_TOO_LARGE,
                  "the batch has " + std::to_string(count) + " messages, the limit is " + std::to_string(batch_max)));
}

}  // namespace

// Each parsed on its own, and answered on its own (MSH-12).
void Gateway::send_each(const Request& request, const broker::SendOptions& options,
                        std::span<const std::string_view> texts) {
  if (texts.size() > batch_max) return respond(request.id, too_many(texts.size()));
  std::string body;
  json::Writer writer(body);
  writer.begin_array();
  for (const std::string_view text : texts) {
    const auto parsed = parser_.parse(text);
    if (!parsed) broker_.messages.count_refused(*request.caller, parsed.error());
    form::write_sent(writer, parsed ? broker_.messages.send(*request.caller, request.match.parameters[0],
                                                            {parser_.slice(*parsed), *parsed}, {}, &options)
                                    : base::Result<broker::Sent>(std::unexpected(parsed.error())));
  }
  writer.end_array();
  respond(request.id, json_response(207, std::move(body)));
}

void Gateway::send(const Request& request, const net::http::Head& head, std::string_view bytes) {
  const std::string& workspace = request.match.parameters[0];
  const auto refuse = [&](const base::Error& error) { respond(request.id, error_response(error)); };
  const auto options = options_of(request.match, request.query, head);
  if (!options) return refuse(options.error());
  const bool is_ndjson = media_type(head.find("Content-Type")) == "application/x-ndjson";
  const bool many = is_ndjson || is_array(bytes);
  const auto key = idempotency_key(head, many);
  if (!key) return refuse(key.error());
  if (const auto one = check_one(*options, many); !one) return refuse(one.error());
  if (is_ndjson) return send_each(request, *options, json::lines_of(bytes));

  const auto parsed = parser_.parse(bytes, batch_limits(bytes));
  if (!parsed) {
    const auto parts = many ? json::parts_of(bytes, batch_max) : std::nullopt;
    if (parts && std::ranges::all_of(*parts, json::is_one_part)) return send_each(request, *options, *parts);
    broker_.messages.count_refused(*request.caller, parsed.error());
    return refuse(parsed.error());
  }
  std::string body;
  json::Writer writer(body);
  if (many) {
    std::vector<std::string_view> slices;
    parser_.slices(*parsed, slices);
    if (slices.size() > batch_max) return respond(request.id, too_many(slices.size()));
    writer.begin_array();
    std::size_t i = 0;
    for (const json::Value element : parsed->elements())
      form::write_sent(writer,
                       broker_.messages.send(*request.caller, workspace, {slices[i++], element}, {}, &*options));
    writer.end_array();
    return respond(request.id, json_response(207, std::move(body)));
  }
  const auto sent =
      broker_.messages.send(*request.caller, workspace, {parser_.slice(*parsed), *parsed}, *key, &*options);
  if (!sent) return refuse(sent.error());
  form::write_sent(writer, sent);
  respond(request.id, json_response(202, std::move(body)));
}

}  // namespace parley::gateway::http
