// The stream (surface table, `GET …/stream`): one agent's session over WebSocket, messages and settlements in, results
// and deliveries out. docs/reference/websocket.md has the frames. Resource type, the loop's thread.
#pragma once
#include <map>
#include <memory>

#include "broker/port.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "net/loop.hpp"

namespace parley::gateway::websocket {

class Session;

class Gateway final : public net::WebSocketPort {
 public:
  Gateway(broker::Port& broker, net::Loop& loop);
  ~Gateway() override;

  void on_open(net::ConnectionId socket, const net::http::Head& head) override;
  void on_message(net::ConnectionId socket, net::websocket::MessageKind kind, std::string_view message) override;
  void on_slow(net::ConnectionId socket, std::size_t unwritten_bytes) override;
  void on_drained(net::ConnectionId socket) override;
  void on_closed(net::ConnectionId socket, const net::websocket::End& end) override;

 private:
  friend class Session;

  void greet_by(net::ConnectionId socket);  // closes it where it has not said hello in time

  broker::Port& broker_;
  net::Loop& loop_;
  json::Parser parser_;
  std::vector<std::string_view> slices_;
  std::map<net::ConnectionId, std::unique_ptr<Session>> sessions_;
};

}  // namespace parley::gateway::websocket
