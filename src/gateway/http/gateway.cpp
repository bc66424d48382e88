#include "gateway/http/gateway.hpp"

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "gateway/http/answers.hpp"
#include "gateway/http/media.hpp"
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

base::Result<> check_media_type(const Route& route, const net::http::Head& head) {
  if (!head.has_body()) return {};
  const std::string_view type = head.find("Content-Type");
  const bool fits = media_type(type) == "application/json" ||
                    (route.call == Call::send_messages && media_type(type) == "application/x-ndjson");
  if (!fits)
    return base::fail(ErrorCode::UNSUPPORTED_MEDIA_TYPE,
                      type.empty() ? "the request has no Content-Type" : base::quoted(type) + " is not taken here",
                      "Content-Type", "Send application/json; messages also as application/x-ndjson.");
  if (!is_utf8(type))
    return base::fail(ErrorCode::UNSUPPORTED_MEDIA_TYPE, base::quoted(type) + " is no UTF-8", "Content-Type",
                      "Send UTF-8; it need not be said.");
  const std::string_view coding = head.find("Content-Encoding");
  if (coding.empty() || net::http::same_ignoring_case(coding, "identity")) return {};
  return base::fail(ErrorCode::UNSUPPORTED_MEDIA_TYPE,
                    "the content coding " + base::quoted(coding) + " is not taken here", "Content-Encoding",
                    "Send the body as it is.");
}

constexpr std::size_t hello_bytes_max = 16 << 10;  // of a stream's first frame: it comes from anybody (D10)

bool may_wait(Call call) {
  return call == Call::take || call == Call::read_log || call == Call::await_tasks;
}

// CORS. What asks here has one of the origins that may: the connection has looked (--allow-origin).
Response shared_with(const std::string& origin, Response response) {
  if (origin.empty()) return response;
  response.fields.emplace_back("Access-Control-Allow-Origin", origin);
  response.fields.emplace_back("Vary", "Origin");
  return response;
}

bool asks_what_it_may(const net::http::Head& head) {
  return head.method == "OPTIONS" && !head.find("Origin").empty() &&
         !head.find("Access-Control-Request-Method").empty();
}

// The same for every path: it says nothing of what is there. The token comes with the call itself.
Response preflight(const std::string& origin) {
  Response response{.status = 204};
  response.fields = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"},
                     {"Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Parley-Evidence"},
                     {"Access-Control-Max-Age", "600"}};
  return shared_with(origin, std::move(response));
}

}  // namespace

Gateway::Gateway(const broker::Port& broker, net::Loop& loop, observe::Metrics& metrics, base::Clock& clock,
                 observe::Log& log)
    : broker_(broker), loop_(loop), metrics_(metrics), clock_(clock), log_(log) {}

// At `debug`, once the answer has left. Never a token, a query or a body (I3).
void Gateway::log_call(const Request& request, std::string_view method, std::string_view route, int status) {
  if (!log_.wants(observe::Level::debug)) return;
  broker_.gate.after_sync([this, status, connection = request.id.connection, came = request.came,
                           method = base::excerpt(method, 16), route = base::excerpt(route, 256),
                           agent = request.caller ? request.caller->id : std::string()] {
    const double milliseconds = static_cast<double>((clock_.monotonic() - came).count()) / 1000;
    log_.debug("call", {{"connection", connection.value},
                        {"method", method},
                        {"route", route},
                        {"status", status},
                        {"agent", agent},
                        {"milliseconds", milliseconds}});
  });
}

// Answers leave when everything decided so far is durable, refusals and reads too (D3).
void Gateway::respond(net::RequestId id, Response response) {
  const auto at = requests_.find(key_of(id));
  const int status = response.status;
  if (at != requests_.end()) response = shared_with(at->second.origin, std::move(response));
  broker_.gate.after_sync(
      [this, id, response = std::move(response)]() mutable { loop_.respond(id, std::move(response)); });
  if (at == requests_.end()) return;
  const Route& route = *at->second.match.route;
  log_call(at->second, route.method, route.pattern, status);
}

void Gateway::finish(RequestKey request, Response response) {
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  respond(at->second.id, std::move(response));
  const auto& sending = at->second.sending;
  if (sending && !sending->kept.empty()) loop_.hold_reading(at->second.id.connection, false);
  requests_.erase(at);
}

Response Gateway::refusal(net::RequestId id, const net::http::Head* head, const base::Error& error) {
  Response response = error_response(error);
  const auto at = requests_.extract(key_of(id));
  if (!at) {
    Request unknown;
    unknown.id = id;
    unknown.came = loop_.now();
    if (head != nullptr) log_call(unknown, head->method, head->path, response.status);
    return response;
  }
  const Request& request = at.mapped();
  log_call(request, request.match.route->method, request.match.route->pattern, response.status);
  return shared_with(request.origin, std::move(response));
}

void Gateway::on_no_more_input(net::ConnectionId connection) {
  std::vector<RequestKey> waiting;
  for (auto at = requests_.lower_bound({connection.value, 0});
       at != requests_.end() && at->first.first == connection.value; ++at)
    if (at->second.wait != broker::WaitId{}) waiting.push_back(at->first);
  for (const RequestKey& request : waiting) end_wait(request);
}

void Gateway::on_closed(net::ConnectionId connection) {
  auto at = requests_.lower_bound({connection.value, 0});
  while (at != requests_.end() && at->first.first == connection.value) {
    broker_.polls.cancel(at->second.wait);
    at = requests_.erase(at);
  }
}

base::Result<> Gateway::authenticate(Request& request, const net::http::Head& head) {
  const Route& route = *request.match.route;
  if (route.access == Access::anyone) return {};
  const std::string_view token = bearer(head);
  if (!token.empty()) request.caller = broker_.gate.caller_of(token);
  if (!request.caller) {
    on_unauthenticated(!token.empty());
    return base::fail(ErrorCode::UNAUTHENTICATED,
                      token.empty() ? "the request has no bearer token" : "the bearer token is not valid here",
                      "Authorization");
  }
  loop_.vouch_for(request.id.connection);
  if (route.access == Access::admin && request.caller->kind != broker::Caller::Kind::admin)
    return base::fail(ErrorCode::FORBIDDEN, base::quoted(request.caller->id) + " may not do this", {},
                      "Use the admin token.");
  request.known_at = loop_.now();
  if (may_wait(route.call) || route.body_bytes_max > 0) request.token = token;
  return {};
}

bool Gateway::is_known_still(Request& request) {
  if (request.token.empty() || std::exchange(request.known_at, loop_.now()) == loop_.now()) return true;
  return broker_.gate.caller_of(request.token).has_value();
}

base::Result<> Gateway::open(Request& request, const net::http::Head& head) {
  static const Route unknown{};  // wants a token, like all that is not said to be open
  auto matched = match(head.method, head.path);
  request.match = matched ? std::move(*matched) : Match{&unknown, {}};
  PARLEY_CHECK(authenticate(request, head));  // who has no token learns nothing of what is there (I1)
  if (!matched) return std::unexpected(std::move(matched).error());
  PARLEY_CHECK(check_media_type(*request.match.route, head));
  PARLEY_TRY(request.query, net::http::parse_query(head.query));
  return contract_.check_query(request.match.route->operation, request.query);
}

base::Result<Answer> Gateway::ready() const {
  PARLEY_CHECK(broker_.gate.ready());
  if (const std::string reason = not_ready(); !reason.empty()) return base::fail(ErrorCode::OVERLOADED, reason);
  return Answer{200, R"({"status":"ready"})"};
}

base::Result<Answer> Gateway::answer(const Request& request, Body body) {
  static const broker::Caller nobody;
  const Route& route = *request.match.route;
  if (route.call == Call::readyz) return ready();
  return route.answer(
      {broker_, request.caller ? *request.caller : nobody, request.match.parameters, request.query, body});
}

net::HeadDecision Gateway::on_head(net::RequestId id, const net::http::Head& head) {
  Request request;
  request.id = id;
  request.came = loop_.now();
  request.origin = head.find("Origin");
  if (asks_what_it_may(head)) return preflight(request.origin);
  const auto refuse = [&](const base::Error& error) {  // what it is refused by may not be durable yet
    Response response = shared_with(request.origin, error_response(error));
    const int status = response.status;
    respond(id, std::move(response));
    log_call(request, head.method, head.path, status);
    return net::AnswerLater{};
  };
  if (const auto opened = open(request, head); !opened) return refuse(opened.error());
  const Route& route = *request.match.route;
  if (route.call == Call::stream) {
    if (head.asks_upgrade) return net::AcceptWebSocket{hello_bytes_max};
    return refuse(base::error(ErrorCode::UPGRADE_REQUIRED, "this path speaks WebSocket", "Upgrade"));
  }
  if (route.body_bytes_max == 0 && head.has_body())
    return refuse(base::error(ErrorCode::BAD_REQUEST, "this call takes no body", "Content-Length"));
  requests_.emplace(key_of(id), std::move(request));
  return net::AcceptBody{route.body_bytes_max};
}

void Gateway::on_request(net::RequestId id, const net::http::Head& head, std::string_view bytes) {
  const auto at = requests_.find(key_of(id));
  if (at == requests_.end()) return;
  Request& request = at->second;
  const Route& route = *request.match.route;
  if (!is_known_still(request)) return finish(key_of(id), error_response(no_longer_valid()));
  if (route.call == Call::send_messages || route.call == Call::supersede_message) return send(request, head, bytes);
  Body body;
  if (route.body_bytes_max > 0) {
    const auto parsed = parser_.parse(bytes.empty() ? std::string_view("{}") : bytes);
    if (!parsed) return finish(key_of(id), error_response(parsed.error()));
    body = *parsed;
    const auto checked = contract_.check_body(route.operation, body);
    if (!checked) return finish(key_of(id), error_response(checked.error()));
  }
  if (route.call == Call::take) return take(request, body);
  if (route.call == Call::read_log) return read_log(request);
  if (route.call == Call::await_tasks) return await_tasks(request, body);
  if (route.call == Call::openapi) return finish(key_of(id), {.shared = document_});
  if (route.call == Call::metrics) {
    before_metrics();
    return finish(key_of(id), {.content_type = "text/plain; version=0.0.4", .body = metrics_.text()});
  }
  const auto answered = answer(request, body);
  Response response = answered ? json_response(answered->status, answered->json) : error_response(answered.error());
  if (route.call == Call::at_once_with_token) response.fields.emplace_back("Cache-Control", "no-store");
  respond(id, std::move(response));
  requests_.erase(at);
}

}  // namespace parley::gateway::http
