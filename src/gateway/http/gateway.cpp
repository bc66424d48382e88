#include "gateway/http/gateway.hpp"

#include <algorithm>
#include <charconv>

#include "gateway/form/form.hpp"
#include "gateway/http/answers.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::http {
namespace {

using base::ErrorCode;
using broker::Answer;
using net::http::Response;

// `Authorization: Bearer TOKEN`; empty where there is none.
std::string_view bearer(const net::http::Head& head) {
  std::string_view value = head.find("Authorization");
  if (value.size() < 7 || !net::http::same_ignoring_case(value.substr(0, 7), "Bearer ")) return {};
  value.remove_prefix(7);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

bool is_media_type(std::string_view value, std::string_view wanted) {
  value = value.substr(0, value.find(';'));
  while (value.ends_with(' ')) value.remove_suffix(1);
  return net::http::same_ignoring_case(value, wanted);
}

base::Result<std::uint64_t> parse_count(std::string_view text, std::string_view name, std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return base::fail(ErrorCode::BAD_REQUEST, "'" + std::string(text.substr(0, 64)) + "' is no whole number",
                    "?" + std::string(name));
}

}  // namespace

Gateway::Gateway(broker::Port& broker, net::Loop& loop, observe::Metrics& metrics)
    : broker_(broker), loop_(loop), metrics_(metrics) {}

// Answers leave when everything decided so far is durable, refusals and reads too (D3).
void Gateway::respond(net::RequestId id, Response response) {
  broker_.after_sync([this, id, response = std::move(response)]() mutable { loop_.respond(id, std::move(response)); });
}

void Gateway::respond(net::RequestId id, const base::Result<Answer>& answer) {
  respond(id, answer ? json_response(answer->status, answer->json) : error_response(answer.error()));
}

void Gateway::finish(RequestKey request, Response response) {
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  respond(at->second.id, std::move(response));
  requests_.erase(at);
}

Response Gateway::refusal(const base::Error& error) {
  return error_response(error);
}

void Gateway::on_closed(net::ConnectionId connection) {
  auto at = requests_.lower_bound({connection.value, 0});
  while (at != requests_.end() && at->first.first == connection.value) {
    broker_.cancel(at->second.wait);
    at = requests_.erase(at);
  }
}

base::Result<> Gateway::authenticate(Request& request, const net::http::Head& head) {
  if (request.match.route->open) return {};
  const std::string_view token = bearer(head);
  if (!token.empty()) request.caller = broker_.caller_of(token);
  if (request.caller) return {};
  return base::fail(ErrorCode::UNAUTHENTICATED,
                    token.empty() ? "the request has no bearer token" : "the bearer token is not valid here",
                    "Authorization");
}

base::Result<> Gateway::check_media_type(const net::http::Head& head) {
  const std::string_view type = head.find("Content-Type");
  if (!head.has_body() || is_media_type(type, "application/json") || is_media_type(type, "application/x-ndjson"))
    return {};
  return base::fail(
      ErrorCode::UNSUPPORTED_MEDIA_TYPE,
      type.empty() ? "the request has no Content-Type" : "'" + std::string(type.substr(0, 64)) + "' is not taken here",
      "Content-Type", "Send application/json; messages also as application/x-ndjson.");
}

base::Result<Gateway::Request> Gateway::open(net::RequestId id, const net::http::Head& head) {
  Request request;
  request.id = id;
  auto matched = match(head.method, head.path);
  // Who has no token learns nothing of what is there (I1): paths that need none come first.
  static const Route unknown{};
  request.match = matched ? std::move(*matched) : Match{&unknown, {}};
  PARLEY_CHECK(authenticate(request, head));
  if (!matched) return std::unexpected(std::move(matched).error());
  PARLEY_CHECK(check_media_type(head));
  PARLEY_TRY(request.query, net::http::parse_query(head.query));
  return request;
}

net::HeadDecision Gateway::on_head(net::RequestId id, const net::http::Head& head) {
  auto request = open(id, head);
  if (!request) return error_response(request.error());
  const Route& route = *request->match.route;
  if (route.call == Call::stream) {
    if (head.asks_upgrade) return net::AcceptWebSocket{};
    return error_response({ErrorCode::UPGRADE_REQUIRED, "this path speaks WebSocket", {}, {}, {}, {}});
  }
  if (route.body_bytes_max == 0 && head.has_body())
    return error_response({ErrorCode::BAD_REQUEST, "this call takes no body", {}, {}, {}, {}});
  requests_.emplace(key(id), std::move(*request));
  return net::AcceptBody{route.body_bytes_max};
}

std::string_view Gateway::parameter(const Request& request, std::string_view name) const {
  for (const auto& [key, value] : request.query)
    if (key == name) return value;
  return {};
}

base::Result<broker::Page> Gateway::page(const Request& request) const {
  broker::Page page;
  page.after = parameter(request, "after");
  PARLEY_TRY(const std::uint64_t limit, parse_count(parameter(request, "limit"), "limit", page.limit));
  page.limit = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(limit, 1, 1000));
  return page;
}

void Gateway::on_request(net::RequestId id, const net::http::Head& head, std::string_view bytes) {
  const auto at = requests_.find(key(id));
  if (at == requests_.end()) return;
  Request& request = at->second;
  const Route& route = *request.match.route;
  if (route.call == Call::send_messages) {
    send(request, head, bytes);
    requests_.erase(key(id));
    return;
  }
  Body body;
  if (route.body_bytes_max > 0) {
    const auto parsed = parser_.parse(bytes.empty() ? std::string_view("{}") : bytes);
    const base::Result<> checked =
        parsed ? bodies_.check(route.operation, *parsed) : base::Result<>(std::unexpected(parsed.error()));
    if (!checked) return finish(key(id), error_response(checked.error()));
    body = *parsed;
  }
  if (route.call == Call::take) return take(request, body);
  if (route.call == Call::read_log) return read_log(request);
  if (route.call == Call::healthz) return finish(key(id), json_response(200, R"({"status":"ok"})"));
  if (route.call == Call::openapi) return finish(key(id), json_response(200, std::string(openapi)));
  if (route.call == Call::metrics) {
    before_metrics();
    return finish(key(id), {.content_type = "text/plain; version=0.0.4", .body = metrics_.text()});
  }
  const base::Result<Answer> answered = answer(request, body);
  respond(id, answered);
  requests_.erase(key(id));
}

base::Result<Answer> Gateway::answer(const Request& request, Body body) {
  static const broker::Caller nobody;
  const broker::Caller& caller = request.caller ? *request.caller : nobody;
  const auto& at = request.match.parameters;
  PARLEY_TRY(const broker::Page page, this->page(request));
  switch (request.match.route->call) {
    case Call::create_workspace:
      return broker_.create_workspace(caller, body);
    case Call::list_workspaces:
      return broker_.workspaces(caller, page);
    case Call::get_workspace:
      return broker_.workspace(caller, at[0]);
    case Call::change_workspace:
      return broker_.change_workspace(caller, at[0], body);
    case Call::register_agent:
      return broker_.register_agent(caller, at[0], body);
    case Call::list_agents:
      return broker_.agents(caller, at[0], page);
    case Call::change_agent:
      return broker_.change_agent(caller, at[0], at[1], body);
    case Call::remove_agent:
      return broker_.remove_agent(caller, at[0], at[1]);
    case Call::register_person:
      return broker_.register_person(caller, at[0], body);
    case Call::list_people:
      return broker_.people(caller, at[0], page);
    case Call::change_person:
      return broker_.change_person(caller, at[0], at[1], body);
    case Call::remove_person:
      return broker_.remove_person(caller, at[0], at[1]);
    case Call::rotate_agent_token:
    case Call::rotate_person_token: {
      PARLEY_TRY(const base::Duration grace, base::parse_duration(body.find("grace").if_string().value_or("0s")));
      const bool agent = request.match.route->call == Call::rotate_agent_token;
      return broker_.rotate_token(caller, at[0], agent ? "agents" : "people", at[1], grace);
    }
    case Call::get_message:
      return broker_.message(caller, at[0], at[1], parameter(request, "to"));
    case Call::look_into_inbox:
      return broker_.inbox(caller, at[0], at[1], page);
    case Call::ack:
      return settle(request, broker::Settlement::ack, body);
    case Call::nack:
      return settle(request, broker::Settlement::nack, body);
    case Call::extend:
      return settle(request, broker::Settlement::extend, body);
    case Call::list_dead_letters:
      return broker_.dead_letters(caller, at[0], page);
    case Call::redrive:
      return broker_.redrive(caller, at[0], at[1]);
    case Call::limits:
      return broker_.limits();
    case Call::readyz: {
      const std::string reason = broker_.not_ready().empty() ? not_ready() : broker_.not_ready();
      if (!reason.empty()) return base::fail(ErrorCode::OVERLOADED, reason);
      return Answer{200, R"({"status":"ready"})"};
    }
    default:
      return base::fail(ErrorCode::INTERNAL, "the route has no call");
  }
}

base::Result<Answer> Gateway::settle(const Request& request, broker::Settlement what, Body body) {
  std::vector<std::string_view> ids;
  for (const json::Value id : body.find("delivery_ids").elements()) ids.push_back(id.as_string());
  broker::SettleRequest asked{.what = what, .delivery_ids = ids};
  asked.reason = body.find("reason").if_string().value_or("");
  if (const auto delay = body.find("delay").if_string()) {
    PARLEY_TRY(asked.delay, base::parse_duration(*delay));
  }
  if (const auto lease = body.find("lease").if_string()) {
    PARLEY_TRY(asked.lease, base::parse_duration(*lease));
  }
  const auto& at = request.match.parameters;
  PARLEY_TRY(const std::vector<broker::Settled> settled, broker_.settle(*request.caller, at[0], at[1], asked));

  // 200 if all are done, 409 if all are superseded, else 207 (surface table).
  const auto all = [&](broker::Settled one) {
    return std::all_of(settled.begin(), settled.end(), [one](broker::Settled s) { return s == one; });
  };
  Answer answer{all(broker::Settled::done) ? 200 : all(broker::Settled::superseded) ? 409 : 207, {}};
  json::Writer writer(answer.json);
  writer.begin_object();
  if (answer.status == 409) {
    writer.key("error");
    form::write_error(writer,
                      {ErrorCode::SUPERSEDED, "the leases of these deliveries are over", {}, "/delivery_ids", {}, {}});
  }
  writer.key("results");
  form::write_settled(writer, ids, settled);
  writer.end_object();
  return answer;
}

}  // namespace parley::gateway::http
