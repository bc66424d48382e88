// The stream (surface table, `GET …/stream`): one agent's session over WebSocket, messages and settlements in, results
// and deliveries out. docs/reference/websocket.md has the frames. Resource type, the loop's thread; broker and loop
// outlive it.
#pragma once
#include <map>
#include <memory>

#include "broker/port.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "net/loop.hpp"

namespace parley::gateway::websocket {

class Session;

struct Settings {
  base::Duration hello_timeout = std::chrono::seconds(10);
  base::Duration slow_patience = std::chrono::seconds(10);     // with more unwritten than the loop's bound
  base::Duration token_look = std::chrono::milliseconds(100);  // each looks at an eighth of the sessions (I4)
};

class Gateway final : public net::WebSocketPort {
 public:
  Gateway(broker::Port& broker, net::Loop& loop, const Settings& settings = {});
  ~Gateway() override;

  void on_open(net::ConnectionId socket, const net::http::Head& head) override;
  void on_message(net::ConnectionId socket, net::websocket::MessageKind kind, std::string_view message) override;
  void on_slow(net::ConnectionId socket, std::size_t unwritten_bytes) override;
  void on_drained(net::ConnectionId socket) override;
  void on_closed(net::ConnectionId socket, const net::websocket::End& end) override;

 private:
  friend class Session;

  Session* find(net::ConnectionId socket);  // null where it is gone
  void look_at_tokens();                    // closes sessions whose token was revoked; goes on while there are any

  broker::Port& broker_;
  net::Loop& loop_;
  const Settings settings_;
  json::Parser parser_;
  std::vector<std::string_view> slices_;
  std::map<net::ConnectionId, std::unique_ptr<Session>> sessions_;
  net::ConnectionId looked_at_;  // the last one
  bool looking_ = false;
};

}  // namespace parley::gateway::websocket
