// The event loop of the process: sockets, HTTP and WebSocket connections, timers and signals, on one thread.
//
//   while (running) {
//     loop.wait(until);   // everything that is ready is read, the ports are called
//     broker.turn();      // decide, append, sync; answers are handed to respond() and send()
//     loop.flush();       // and leave
//   }
//
// One turn reads for about a millisecond (D11); what else is ready comes first in the next. Each connection writes what
// its peer takes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/port.hpp"
#include "net/settings.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

namespace parley::net {

struct ListenOptions {
  std::string host = "127.0.0.1";  // an address: 127.0.0.1, ::1, …
  std::uint16_t port = 0;          // 0: any that is free
  bool beyond_loopback = false;    // without it, an address that others can reach is refused (D10, J4)
};

// Resource type; everything but post, wake and their like belongs to its thread. The ports outlive it.
class Loop {
 public:
  Loop(base::Clock& clock, observe::Metrics& metrics, observe::Log& log, LoopSettings settings);
  ~Loop();

  void serve(HttpPort& http, WebSocketPort& sockets);        // before listen
  base::Result<std::uint16_t> listen(const ListenOptions&);  // the port; may be called for several addresses

  void poll();                      // all that is ready, without blocking
  void take_more();                 // what has become ready since; it is of this turn, and its time the turn's
  void wait(base::Duration until);  // by Clock::monotonic; blocks until something is ready
  void flush();                     // writes what was answered and sent; poll and wait begin with it
  base::Duration now() const;       // of this turn
  bool more_is_ready();             // never blocks, calls nobody

  void post(std::function<void()> work);  // any thread: runs on the loop's
  void wake();                            // any thread: ends a wait
  void at(base::Duration when, std::function<void()> work);
  void on_stop_signal(std::function<void(int)> stop);  // SIGTERM, SIGINT

  // Answers a request; false where the connection is gone or it has been answered.
  bool respond(RequestId request, http::Response&& response);

  // All false where the connection is gone or closing.
  bool send(ConnectionId socket, websocket::MessageKind kind, std::string&& message);  // large ones are not copied
  bool send(ConnectionId socket, websocket::MessageKind kind, std::span<const std::string_view> pieces);
  bool close(ConnectionId socket, std::uint16_t code, std::string_view reason);  // on_closed follows

  // Nothing more is read from it. What has been read of a WebSocket still comes; over HTTP what was called behind the
  // newest call waits.
  void hold_reading(ConnectionId connection, bool held);
  void catch_up(ConnectionId socket);  // reads what has come, before its peer is held to a deadline

  // Its peer has shown a valid token: it no longer makes room for whoever comes (D11), and its messages may be as large
  // as the settings allow, also after AcceptWebSocket with a smaller bound.
  void vouch_for(ConnectionId connection);

  std::size_t connections() const;

  // Shutting down: no new connections; what has come is read, and nothing more of WebSockets. HTTP connections end
  // after the answers they are owed. Go on with wait() until connections() is 0 or patience ends.
  void drain();
  void close_drained();  // WebSockets, with 1001: when what they are owed was sent

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace parley::net
