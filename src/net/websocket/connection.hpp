// One WebSocket, either side, after its handshake; without input, output or clock: bytes and times come in as
// arguments, what came of them goes out as a step, frames sent become bytes in an Output.
//
// receive() comes to one of three steps:
//   message    kind(), message(): good until the next receive; a small one may be a view of `input`
//   closed     end() says how; write what the Output still holds and close the connection
//   need_more  all of `input` is used
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/time.hpp"
#include "base/utf8_check.hpp"
#include "net/websocket/close_code.hpp"
#include "net/websocket/frame.hpp"
#include "net/wire/output.hpp"

namespace parley::net::websocket {

struct Settings {
  std::uint64_t message_bytes_max = 8 << 20;
  std::size_t kept_from_bytes = 16 << 10;  // who takes a masked message of so many keeps it (gateway's worker_bytes)
  base::Duration ping_after = std::chrono::seconds(30);    // of silence
  base::Duration pong_timeout = std::chrono::seconds(30);  // of silence after that
  base::Duration close_timeout = std::chrono::seconds(5);  // for the peer's answer to our close
  std::size_t pong_backlog_max = 65536;  // with that much unwritten, pings go unanswered (RFC 6455 §5.5.3 allows it)
};

enum class MessageKind : std::uint8_t { text, binary };

struct End {
  std::uint16_t code = close_code::abnormal;  // the peer's, or ours where we gave up
  std::string reason;
};

// Resource type; one owner, one thread. Settings, output and random outlive it.
class Connection {
 public:
  enum class Step : std::uint8_t { need_more, message, closed };

  static Connection server(const Settings& settings, wire::Output& output, base::Duration now);
  static Connection client(const Settings& settings, wire::Output& output, base::Random& masks, base::Duration now);

  // Of messages that begin from now on; the settings' bound holds besides.
  void limit_messages(std::uint64_t bytes) { message_limit_ = bytes; }

  // Takes from the front of `input`, unmasking it in place. The bytes must stay until the call that answers need_more.
  Step receive(std::span<char>& input, base::Duration now);

  MessageKind kind() const { return kind_; }
  std::string_view message() const { return message_; }
  // The message, out of here and into `kept`; without a copy where it was put together here. What memory `kept` had is
  // used for the messages to come.
  void keep_message(std::string& kept);

  // Nothing is sent once a close was. A server moves large messages into the output without a copy.
  void send(MessageKind kind, std::string_view message);
  void send(MessageKind kind, std::string&& message);
  void send_pieces(MessageKind kind, std::span<const std::string_view> pieces);  // one message

  // Begins the closing handshake; `closed` comes with the peer's answer, or on_time.
  void close(std::uint16_t code, std::string_view reason, base::Duration now);
  bool closing() const { return close_sent_; }
  const End& end() const { return end_; }

  base::Duration next_deadline() const;
  Step on_time(base::Duration now);     // pings; need_more or closed
  void read_again(base::Duration now);  // after a while in which it was not: the peer's silence counts from now on

 private:
  Connection(const Settings& settings, wire::Output& output, base::Random* masks, base::Duration now);

  Step receive_header(std::span<char>& input);
  Step begin_frame();
  Step receive_payload(std::span<char>& input);
  Step take_whole_frame(std::span<char> payload);
  Step end_frame();
  Step end_control_frame();
  Step take_close(std::string_view payload);
  Step fail(std::uint16_t code, std::string_view reason);
  void forget_message();
  void put_header(Opcode opcode, std::uint64_t payload_bytes, MaskKey& key);
  void put_control(Opcode opcode, std::string_view payload);

  const Settings* settings_;
  std::uint64_t message_limit_ = std::numeric_limits<std::uint64_t>::max();
  wire::Output* output_;
  base::Random* masks_;  // of a client; a server's frames are not masked

  char header_bytes_[frame_header_bytes_max];
  std::uint8_t header_count_ = 0;
  bool in_payload_ = false;
  bool in_message_ = false;  // a data message has begun and not ended
  bool delivered_ = false;
  bool close_sent_ = false;
  bool over_ = false;
  bool ping_sent_ = false;
  MessageKind kind_ = MessageKind::text;

  FrameHeader frame_;
  std::uint64_t payload_received_ = 0;
  std::string assembly_;  // of messages that do not lie whole in one input, or are large
  std::string control_;   // likewise of control frames, which come between a message's parts
  std::string_view message_;
  base::Utf8Check utf8_;

  base::Duration heard_;  // when the peer's last byte came
  base::Duration close_sent_at_{};
  End end_;
};

// A message as it came, for the call that tells of it.
class Received {
 public:
  explicit Received(Connection& connection) : connection_(connection) {}
  MessageKind kind() const { return connection_.kind(); }
  std::string_view text() const { return connection_.message(); }
  void keep_in(std::string& buffer) const { connection_.keep_message(buffer); }  // text() is empty afterwards

 private:
  Connection& connection_;
};

}  // namespace parley::net::websocket
