// One TCP connection: thin glue that carries bytes between the socket and the protocol's machine, which may change
// from HTTP to WebSocket on the way. Rules are the machines' and the ports', not its own.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/server_connection.hpp"
#include "net/port.hpp"
#include "net/reactor.hpp"
#include "net/settings.hpp"
#include "net/websocket/connection.hpp"
#include "net/wire/output.hpp"
#include "observe/metrics.hpp"

namespace parley::net {

constexpr base::Duration never = base::Duration::max();  // a time that does not come

// What all connections share: one buffer, since one thread reads. Outlives them.
struct Shared {
  base::Clock& clock;
  LoopSettings settings;
  HttpPort* http = nullptr;
  WebSocketPort* sockets = nullptr;
  base::Duration now{};
  std::vector<char> read_buffer = {};

  // The loop is asked to call flush, or before_reading, soon.
  std::function<void(ConnectionId)> wants_flush;
  std::function<void(ConnectionId)> wants_reading;

  struct Figures {
    observe::Gauge& http;
    observe::Gauge& websocket;
    observe::Counter& slow;
    observe::Counter& read_bytes;
    observe::Counter& written_bytes;
    observe::Counter& messages_in;
    observe::Counter& messages_out;
    std::array<observe::Counter*, 6> answers;  // by class of status
  } figures;
};

// Resource type; owns the socket. Destroyed by the loop once over().
class Connection {
 public:
  Connection(Shared& shared, ConnectionId id, Reactor& reactor, int descriptor);
  ~Connection();
  Connection(const Connection&) = delete;

  // Each turn it has been read from: takes what was held back, and watches for more, if more may come. Whether there
  // was something held back.
  bool before_reading();
  void take(std::span<char> bytes);  // as if just read
  std::size_t unwritten() const { return output_.size(); }
  void on_readable();
  void on_writable();
  void flush();
  void catch_up();      // reads and writes what it can, where the turn had no time to say that it is ready
  void read_at_once();  // likewise, also where nobody watches it yet

  bool respond(std::uint64_t number, http::Response&& response);
  bool send(websocket::MessageKind kind, std::string&& message);
  bool send(websocket::MessageKind kind, std::span<const std::string_view> pieces);
  bool close(std::uint16_t code, std::string_view reason);
  void hold_reading(bool held);
  void allow_messages();  // as large as the settings allow, where it is a WebSocket
  void tell_closed();     // once, however often it is called
  void drain();           // a WebSocket is not read from any more; HTTP ends after its answers
  void close_drained();   // that WebSocket

  base::Duration next_deadline() const;
  void on_time();
  base::Duration scheduled = base::Duration::max();  // the loop's: when it will look at next_deadline again

  bool over() const { return phase_ == Phase::over; }

 private:
  // ending: nothing more is read by a machine, what is in the output is written; lingering: all is written, the peer
  // is given time to read it and close, lest a reset overtakes it.
  enum class Phase : std::uint8_t { open, ending, lingering, over };

  void feed_http(std::string_view& input);
  bool decide_head();
  void refuse_http();
  bool become_websocket(const AcceptWebSocket& how);
  void feed_websocket(std::span<char> input);
  void end_of_input();
  void after_machine();
  void end_websocket();
  void cut();  // on_closed is not called from within: the loop calls tell_closed before it destroys
  void count_slow();
  void begin_ending();
  void settle_output();
  bool awaits_us() const;
  bool is_held() const;
  bool calls_are_held() const { return http_ && reading_held_; }  // behind one that is not decided yet
  void begin_stall();
  std::size_t taken_by_peer() const;  // since begin_stall
  void want_flush();

  Shared& shared_;
  ConnectionId id_;
  Reactor::Watch watch_;
  wire::Output output_;
  std::unique_ptr<http::ServerConnection> http_;
  std::unique_ptr<websocket::Connection> socket_;
  std::string held_;  // read, but further than the machine wants to read ahead

  Phase phase_ = Phase::open;
  bool slow_ = false;
  bool counted_slow_ = false;
  bool reading_held_ = false;
  bool sealed_ = false;  // drained, and not closed yet
  bool input_ended_ = false;
  bool flush_wanted_ = false;
  bool told_closed_ = false;
  base::Duration waiting_since_{};  // for the peer to take something, or in lingering to close, or after its last byte
  bool write_stalled_ = false;      // there is something unwritten
  std::size_t owed_since_ = 0;      // since begin_stall: bytes that the peer was to take
};

}  // namespace parley::net
