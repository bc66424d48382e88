// What the fronts implement to be called by the loop. All calls come on the loop's thread; views are good during a
// call. Answers may be given during the call or any time later (Loop::respond), when what they say is durable (D3).
#pragma once
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/strong.hpp"
#include "net/http/head.hpp"
#include "net/http/response.hpp"
#include "net/websocket/connection.hpp"

namespace parley::net {

using ConnectionId = base::Strong<struct ConnectionIdTag, std::uint64_t>;  // never given twice

struct RequestId {
  ConnectionId connection;
  std::uint64_t number = 0;
  friend bool operator==(const RequestId&, const RequestId&) = default;
};

struct AcceptBody {
  std::uint64_t bytes_max = 1 << 20;
};
struct AcceptWebSocket {
  std::uint64_t message_bytes_max = UINT64_MAX;  // until Loop::vouch_for; never more than the settings' bound
};

struct AnswerLater {};  // by Loop::respond, once on_head has returned; the body is not read

// To a head: let its body come, answer without reading it, or speak WebSocket from here on.
using HeadDecision = std::variant<AcceptBody, http::Response, AnswerLater, AcceptWebSocket>;

class HttpPort {
 public:
  virtual ~HttpPort() = default;

  // Host and Origin have been checked, nothing else: the caller's token comes first (D10).
  virtual HeadDecision on_head(RequestId request, const http::Head& head) = 0;
  virtual void on_request(RequestId request, const http::Head& head, std::string_view body) = 0;
  // The form of an error that the connection itself found: malformed, too large, too slow, from a wrong host. The
  // request may be one whose body was to come; it comes no more. `head` where it could be read and on_head was not
  // told, or let it become a WebSocket.
  virtual http::Response refusal(RequestId request, const http::Head* head, const base::Error& error) = 0;
  // The peer sends no more: it may be gone, or may only have closed its half. Calls that wait had better not go on.
  virtual void on_no_more_input(ConnectionId) {}
  // Whatever it still asked is answered to nobody. Not called for connections that became WebSockets.
  virtual void on_closed(ConnectionId connection) = 0;
};

class WebSocketPort {
 public:
  virtual ~WebSocketPort() = default;

  virtual void on_open(ConnectionId socket, const http::Head& head) = 0;
  virtual void on_message(ConnectionId socket, const websocket::Received& message) = 0;
  // More is unwritten than LoopSettings::output_high_bytes; nothing more is read from it until on_drained.
  virtual void on_slow(ConnectionId socket, std::size_t unwritten_bytes) = 0;
  virtual void on_drained(ConnectionId socket) = 0;  // half of that, after on_slow
  virtual void on_closed(ConnectionId socket, const websocket::End& end) = 0;
};

}  // namespace parley::net
