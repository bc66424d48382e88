// The wire by hand, so that nothing of the server's own code judges its answers: a socket, HTTP/1.1, WebSocket frames.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parley::e2e {

using Fields = std::vector<std::pair<std::string, std::string>>;

// A TCP connection; reads end at `timeout` with nothing. Resource type.
class Wire {
 public:
  explicit Wire(std::uint16_t port);
  ~Wire();
  Wire(const Wire&) = delete;

  void write(std::string_view bytes);
  bool read(std::string& into, std::chrono::milliseconds timeout = std::chrono::seconds(20));
  void close();
  void say_no_more();  // half of a close: what is answered still comes
  void reset();        // a close that what was not read does not outlive
  void take_little();  // a small window, before anything is read: a slow reader
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Reply {
  int status = 0;  // 0: none came
  Fields fields;   // as sent
  std::string body;

  std::string field(std::string_view name) const;
};

// The next answer on the connection; `head_only` for HEAD. What was read beyond it stays in `rest`.
Reply read_reply(Wire& wire, std::string& rest, bool head_only = false);

// One request, one connection.
Reply exchange(std::uint16_t port, std::string_view request);

// The client's end of a WebSocket.
class Socket {
 public:
  Socket(std::uint16_t port, std::string_view path, const Fields& more = {});

  const Reply& handshake() const { return handshake_; }
  void send(std::string_view text, int opcode = 1);
  // The next text frame; none: the socket closed, or nothing came in time.
  std::optional<std::string> next(std::chrono::milliseconds timeout = std::chrono::seconds(20));
  std::optional<std::uint16_t> close_code() const { return close_code_; }
  // Reads on until the close frame.
  std::uint16_t closed(std::chrono::milliseconds timeout = std::chrono::seconds(20));
  Wire& wire() { return wire_; }

 private:
  Wire wire_;
  Reply handshake_;
  std::string rest_;
  std::optional<std::uint16_t> close_code_;
};

}  // namespace parley::e2e
