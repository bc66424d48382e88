// The HTTP/1.1 JSON API: heads are routed and authenticated before a body is read (D10), bodies are checked against the
// OpenAPI document, calls go to the broker, answers leave when what they say is durable (D3). Resource type, the loop's
// thread; what it is given outlives it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "broker/port.hpp"
#include "gateway/form/rounds.hpp"
#include "gateway/http/contract.hpp"
#include "gateway/http/routes.hpp"
#include "gateway/http/sending.hpp"
#include "json/parser.hpp"
#include "net/http/target.hpp"
#include "net/loop.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace parley::gateway::http {

class Gateway final : public net::HttpPort {
 public:
  Gateway(const broker::Port& broker, net::Loop& loop, observe::Metrics& metrics, base::Clock& clock,
          observe::Log& log);

  net::HeadDecision on_head(net::RequestId request, const net::http::Head& head) override;
  void on_request(net::RequestId request, const net::http::Head& head, std::string_view body) override;
  net::http::Response refusal(net::RequestId request, const net::http::Head* head, const base::Error& error) override;
  void on_no_more_input(net::ConnectionId connection) override;
  void on_closed(net::ConnectionId connection) override;

  // Shutting down: calls that wait are answered with what there is, and none waits any more.
  void end_waits();

  // Before a scrape: whatever is counted elsewhere is copied into the metrics.
  std::function<void()> before_metrics = [] {};
  std::function<void(bool wrong_token)> on_unauthenticated = [](bool) {};  // or none at all
  // Why the process as a whole is not ready; empty: it is.
  std::function<std::string()> not_ready = [] { return std::string(); };

 private:
  using RequestKey = std::pair<std::uint64_t, std::uint64_t>;  // connection, number
  static RequestKey key_of(net::RequestId id) { return {id.connection.value, id.number}; }
  using Body = json::Value;

  // A request whose head was accepted, until it is answered.
  struct Request {
    net::RequestId id;
    base::Duration came{};  // its head
    Match match;
    std::optional<broker::Caller> caller;
    net::http::QueryParameters query;
    std::string origin;  // of the page that calls, one that may; empty: no page does

    std::string token;                       // of a call that may take its time
    std::optional<base::Duration> known_at;  // when it was looked at last, by the loop's clock

    std::unique_ptr<Sending> sending;  // of a call that brings messages

    // Of a call that may wait.
    broker::WaitId wait;
    base::Duration deadline{};  // by the loop's clock
    broker::TakeRequest take;
    std::string take_id;
    std::uint64_t log_from = 1;
    std::uint32_t log_max = 100;
    broker::TaskWait tasks;
  };

  void end_wait(RequestKey request);
  base::Result<> open(Request& request, const net::http::Head& head);
  base::Result<> authenticate(Request& request, const net::http::Head& head);

  base::Result<broker::Answer> answer(const Request& request, Body body);
  base::Result<broker::Answer> ready() const;
  void send(Request& request, const net::http::Head& head, std::string_view bytes);
  base::Result<> read_messages(const Request& request, const net::http::Head& head, std::string_view bytes);
  base::Result<broker::Sent> send_next(const Request& request);
  base::Result<broker::Sent> refused(const Request& request, const base::Error& error);  // one of its messages
  std::optional<base::Result<broker::Sent>> send_in_turn(const Request& request);
  bool put_off(const Request& request);
  void send_on(Request& request);

  void take(Request& request, Body body);
  void try_take(RequestKey request, broker::Woken why);
  void read_log(Request& request);
  void try_log(RequestKey request);
  void await_tasks(Request& request, Body body);
  void try_tasks(RequestKey request);
  void let_wait(Request& request, base::Duration wait);
  void begin_wait(Request& request, broker::WaitId wait);
  void look_later();
  void look_at_tokens();  // ends waits whose token was revoked (I4); goes on while there are calls
  void look_at_token(Request& request);
  Request* still_asked(RequestKey request);  // null: it is gone, or answered now
  bool is_known_still(Request& request);     // by its token, which may have been revoked meanwhile (I4)

  void log_call(const Request& request, std::string_view method, std::string_view route, int status);
  void respond(net::RequestId id, net::http::Response response);
  void finish(RequestKey request, net::http::Response response);

  broker::Port broker_;
  net::Loop& loop_;
  observe::Metrics& metrics_;
  base::Clock& clock_;
  observe::Log& log_;
  Contract contract_;
  const std::shared_ptr<const std::string> document_ = std::make_shared<const std::string>(openapi_document);
  json::Parser parser_;
  std::map<RequestKey, Request> requests_;
  bool waits_ended_ = false;
  bool looking_ = false;             // at tokens
  form::Rounds<RequestKey> rounds_;  // in which they are
};

}  // namespace parley::gateway::http
