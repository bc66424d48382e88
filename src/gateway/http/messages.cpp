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
    return base::fail(base::ErrorCode::BAD_REQUEST, "the Idempotency-Key is empty", "Idempotency-Key");
  if (key.empty() || (!many && key.size() <= key_bytes_max)) return key;
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    many ? "one Idempotency-Key cannot name many messages"
                         : "the Idempotency-Key has " + std::to_string(key.size()) + " bytes, the limit is " +
                               std::to_string(key_bytes_max),
                    "Idempotency-Key", many ? "Give each message an id of its own." : "");
}

// What the call says beside the message; it is about one message alone where it supersedes one, or has evidence.
base::Result<broker::SendOptions> options_of(const Match& match, const net::http::QueryParameters& query,
                                             std::string_view evidence) {
  broker::SendOptions options{.may_want_turn = true};
  options.evidence = evidence;
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

base::Result<> check_count(std::size_t messages) {
  if (messages <= envelope::sent_messages_max) return {};
  return base::fail(ErrorCode::PAYLOAD_TOO_LARGE, "the batch has " + std::to_string(messages) +
                                                      " messages, the limit is " +
                                                      std::to_string(envelope::sent_messages_max));
}

}  // namespace

base::Result<> Gateway::read_messages(const Request& request, const net::http::Head& head, std::string_view bytes) {
  Sending& sending = *request.sending;
  const bool is_ndjson = media_type(head.find("Content-Type")) == "application/x-ndjson";
  sending.many = is_ndjson || is_array(bytes);
  sending.evidence = head.find("Parley-Evidence");
  PARLEY_TRY(sending.options, options_of(request.match, request.query, sending.evidence));
  PARLEY_TRY(sending.key, idempotency_key(head, sending.many));
  PARLEY_CHECK(check_one(sending.options, sending.many));
  if (is_ndjson) {
    sending.texts = json::lines_of(bytes);
    return {};
  }
  sending.limits = batch_limits(bytes);
  const auto parsed = parser_.parse(bytes, sending.limits);
  if (!parsed) {
    sending.limits = {};
    auto parts = sending.many ? json::parts_of(bytes, envelope::sent_messages_max) : std::nullopt;
    if (parts && std::ranges::all_of(*parts, json::is_one_part)) {
      sending.texts = std::move(*parts);
      return {};
    }
    return std::unexpected(parsed.error());
  }
  if (!sending.many) {
    sending.texts = {parser_.slice(*parsed)};
    sending.values = {*parsed};
    return {};
  }
  parser_.slices(*parsed, sending.texts);
  sending.values.reserve(sending.texts.size());
  for (const json::Value element : parsed->elements()) sending.values.push_back(element);
  return {};
}

base::Result<broker::Sent> Gateway::send_next(const Request& request) {
  const Sending& sending = *request.sending;
  broker::Native native{sending.texts[sending.next], {}};
  if (sending.values.empty()) {
    const auto parsed = parser_.parse(native.bytes, sending.limits);
    if (!parsed) return refused(request, parsed.error());
    native = {parser_.slice(*parsed), *parsed};
  } else {
    native.value = sending.values[sending.next];
  }
  return broker_.messages.send(*request.caller, request.match.parameters[0], native, sending.key, &sending.options);
}

// What follows on its connection waits as well: calls are done in their order.
bool Gateway::put_off(const Request& request) {
  Sending& sending = *request.sending;
  const auto go_on = [this, at = key_of(request.id)] {
    const auto asked = requests_.find(at);
    if (asked != requests_.end()) send_on(asked->second);  // else who asked is gone
  };
  if (!broker_.gate.in_later_turn(*request.caller, sending.bytes(), go_on)) return false;
  sending.keep_rest();
  loop_.hold_reading(request.id.connection, true);
  return true;
}

base::Result<broker::Sent> Gateway::refused(const Request& request, const base::Error& error) {
  broker_.messages.count_refused(*request.caller, error);
  return std::unexpected(error);
}

// Nothing: it waits for a later turn, and what is left with it.
std::optional<base::Result<broker::Sent>> Gateway::send_in_turn(const Request& request) {
  if (!broker_.gate.turn_is_full()) {
    auto sent = send_next(request);
    if (!sent || !sent->wants_turn) return sent;
  }
  if (put_off(request)) return std::nullopt;
  return refused(request, form::too_much_waits());
}

void Gateway::send_on(Request& request) {
  Sending& sending = *request.sending;
  const bool is_known = is_known_still(request);
  for (; sending.next < sending.texts.size(); ++sending.next) {
    const auto sent = is_known ? send_in_turn(request) : refused(request, no_longer_valid());
    if (!sent) return;
    if (!*sent && !sending.many) return finish(key_of(request.id), error_response(sent->error()));
    if (sending.next > 0) sending.answer += ',';
    json::Writer writer(sending.answer);
    form::write_sent(writer, *sent);
  }
  if (sending.many) return finish(key_of(request.id), json_response(207, '[' + sending.answer + ']'));
  finish(key_of(request.id), json_response(202, std::move(sending.answer)));
}

void Gateway::send(Request& request, const net::http::Head& head, std::string_view bytes) {
  request.sending = std::make_unique<Sending>();
  auto read = read_messages(request, head, bytes);
  if (read) read = check_count(request.sending->texts.size());
  if (read) return send_on(request);
  broker_.messages.count_refused(*request.caller, read.error());
  finish(key_of(request.id), error_response(read.error()));
}

}  // namespace parley::gateway::http
