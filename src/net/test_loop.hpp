// The loop over real sockets of the loopback interface, one thread for both ends. Each wait is bounded.
#pragma once
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/test_clock.hpp"
#include "net/loop.hpp"

namespace parley::net {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

inline constexpr std::size_t large_bytes = 1 << 20;

// A front that answers with what it was asked; /later is answered when the test says so.
struct Echo final : HttpPort, WebSocketPort {
  Loop* loop = nullptr;
  int heads = 0;
  std::optional<RequestId> later;  // the newest
  std::vector<RequestId> unanswered;
  std::vector<std::string> events;
  ConnectionId socket;
  bool echoes = true;
  bool holds_calls = false;  // behind /later
  std::function<void(std::string_view path)> asked = [](std::string_view) {};

  HeadDecision on_head(RequestId id, const http::Head& head) override {
    ++heads;
    if (head.path == "/socket") return AcceptWebSocket{};
    if (head.path == "/known") loop->vouch_for(id.connection);
    if (head.path == "/secret" && head.find("Authorization").empty())
      return http::Response{.status = 401, .body = "token?"};
    return AcceptBody{.bytes_max = 1000};
  }
  void on_request(RequestId id, const http::Head& head, std::string_view body) override {
    asked(head.path);
    if (head.path == "/later") {
      later = id;
      if (holds_calls) loop->hold_reading(id.connection, true);
      unanswered.push_back(id);
      return;
    }
    if (head.path == "/large") return void(loop->respond(id, {.body = std::string(large_bytes, 'x')}));
    loop->respond(id, {.body = std::string(head.path) + " [" + std::string(body) + "]"});
  }
  http::Response refusal(RequestId, const http::Head*, const base::Error& error) override {
    return {.status = info(error.code).http_status, .body = std::string(info(error.code).name)};
  }
  void on_closed(ConnectionId) override { events.push_back("http closed"); }

  void on_open(ConnectionId id, const http::Head&) override {
    socket = id;
    events.push_back("open");
  }
  void on_message(ConnectionId id, const websocket::Received& message) override {
    if (echoes) loop->send(id, message.kind(), std::string(message.text()));
  }
  void on_slow(ConnectionId, std::size_t) override { events.push_back("slow"); }
  void on_drained(ConnectionId) override { events.push_back("drained"); }
  void on_closed(ConnectionId, const websocket::End& end) override {
    events.push_back("socket closed " + std::to_string(end.code));
  }
};

// The other end; it never blocks.
struct Client {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  explicit Client(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << errno;
  }
  ~Client() { ::close(descriptor); }
  Client(const Client&) = delete;

  void take_little() const {  // at a time
    const int bytes = 32 << 10;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  std::size_t write(std::string_view bytes) const {
    const auto count = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  void wait_until_taken() const {  // by the server's kernel
    int left = 1;
    while (ioctl(descriptor, SIOCOUTQ, &left) == 0 && left > 0) std::this_thread::yield();
  }
  bool read(std::string& into) const {  // false: the end
    static std::string buffer(1 << 20, '\0');
    const auto count = recv(descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EAGAIN);
  }
};

struct LoopTest : testing::Test {
  base::RunningClock clock;
  observe::Metrics metrics;
  std::vector<std::string> lines;
  std::unique_ptr<observe::Log> log = observe::Log::to_function(
      clock, observe::Level::info, [this](std::string_view line) { lines.emplace_back(line); });
  Echo echo;
  std::unique_ptr<Loop> loop;
  std::uint16_t port = 0;
  std::string host;

  void start(LoopSettings settings = {}) {
    loop = std::make_unique<Loop>(clock, metrics, *log, std::move(settings));
    echo.loop = loop.get();
    loop->serve(echo, echo);
    port = loop->listen({}).value();
    host = "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  }
  void SetUp() override { start(); }

  // The bound is of the machine's time, not of `clock`, which tests put forward.
  bool turn_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + seconds(20);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      loop->wait(clock.monotonic() + milliseconds(5));
      loop->flush();
    }
    return true;
  }
  std::string read_to_end(Client& client) {
    std::string text;
    bool open = true;
    EXPECT_TRUE(turn_until([&] { return !(open = client.read(text)); })) << text;
    return text;
  }
  std::string read_until(Client& client, std::string_view what) {
    std::string text;
    EXPECT_TRUE(turn_until([&] { return client.read(text) && text.find(what) != text.npos; })) << text;
    return text;
  }
  std::vector<std::string> asked;
  base::Duration serving_takes = milliseconds(3);
  // So many clients, each of which has asked for its number, and no turn has begun since.
  std::vector<std::unique_ptr<Client>> serving_slowly(std::size_t count,
                                                      std::string_view fields = "Connection: close\r\n") {
    std::vector<std::unique_ptr<Client>> clients;
    while (clients.size() < count) clients.push_back(std::make_unique<Client>(port));
    EXPECT_TRUE(turn_until([&] { return loop->connections() == count; }));
    loop->poll();
    echo.asked = [this](std::string_view path) {
      asked.emplace_back(path);
      clock.put_forward(serving_takes);
    };
    for (std::size_t i = 0; i < count; ++i) clients[i]->write(get("/" + std::to_string(i), fields));
    return clients;
  }
  std::string get(std::string_view path, std::string_view fields = "Connection: close\r\n") {
    return "GET " + std::string(path) + " HTTP/1.1\r\n" + host + std::string(fields) + "\r\n";
  }
  std::string upgrade() {
    return get("/socket",
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
               "dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
};

}  // namespace parley::net
