// The loop over real sockets of the loopback interface, one thread for both ends. Each wait is bounded.
#include "net/loop.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/test_clock.hpp"
#include "net/websocket/handshake.hpp"

namespace parley::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::size_t large_bytes = 1 << 20;

// A front that answers with what it was asked; /later is answered when the test says so.
struct Echo final : HttpPort, WebSocketPort {
  Loop* loop = nullptr;
  int heads = 0;
  std::optional<RequestId> later;  // the newest
  std::vector<RequestId> unanswered;
  std::vector<std::string> events;
  ConnectionId socket;
  bool echoes = true;
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

struct Client {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  Client(std::uint16_t port) {
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
  bool read(std::string& into) const {  // false: the end
    static std::string buffer(1 << 20, '\0');
    const auto count = recv(descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EAGAIN);
  }
};

struct LoopTest : testing::Test {
  base::SystemClock clock;
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

  bool turn_until(const std::function<bool()>& done) {
    const auto end = clock.monotonic() + seconds(5);
    while (!done()) {
      if (clock.monotonic() > end) return false;
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
  // So many clients, each of which has asked for its number, which takes 3 ms, and no turn has begun since.
  std::vector<std::unique_ptr<Client>> serving_slowly(std::size_t count,
                                                      std::string_view fields = "Connection: close\r\n") {
    std::vector<std::unique_ptr<Client>> clients;
    while (clients.size() < count) clients.push_back(std::make_unique<Client>(port));
    EXPECT_TRUE(turn_until([&] { return loop->connections() == count; }));
    loop->poll();
    echo.asked = [this](std::string_view path) {
      asked.emplace_back(path);
      std::this_thread::sleep_for(milliseconds(3));
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

// COR-07
TEST_F(LoopTest, AnswersHttpInOrderAlsoWhenAnAnswerComesLater) {
  Client client(port);
  client.write(get("/later", "") + "POST /b HTTP/1.1\r\n" + host + "Content-Length: 2\r\nConnection: close\r\n\r\nhi");
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  std::string early;
  for (int i = 0; i < 3; ++i) loop->poll();
  EXPECT_TRUE(client.read(early));
  EXPECT_THAT(early, IsEmpty()) << "the second waits for the first";
  EXPECT_TRUE(loop->respond(*echo.later, {.body = "at last"}));
  EXPECT_FALSE(loop->respond(*echo.later, {.body = "again"}));
  const auto text = read_to_end(client);
  EXPECT_LT(text.find("at last"), text.find("/b [hi]"));
  EXPECT_THAT(text, HasSubstr("\r\nDate: "));
  EXPECT_TRUE(turn_until([&] { return loop->connections() == 0; }));
  EXPECT_THAT(echo.events, testing::ElementsAre("http closed"));
  EXPECT_FALSE(loop->respond({echo.later->connection, 2}, {}));
}

// J1, J2: refused before any front is asked, on every path and the upgrade too; no side effect.
TEST_F(LoopTest, GoesOnAtOnceWithWhatItHeldBack) {
  Client client(port);
  const std::size_t ahead = LoopSettings().http.pipelined_max;
  for (std::size_t i = 0; i <= ahead; ++i) client.write(get("/later", ""));
  ASSERT_TRUE(turn_until([&] { return echo.unanswered.size() == ahead; }));
  for (const RequestId id : echo.unanswered) loop->respond(id, {.body = "now"});
  const auto begun = clock.monotonic();
  loop->wait(begun + seconds(1));
  EXPECT_EQ(echo.unanswered.size(), ahead + 1);
  EXPECT_LT(clock.monotonic() - begun, milliseconds(500)) << "its answer would have waited as long";
}

TEST_F(LoopTest, ReadsNothingPastWhatItHeldBack) {
  Client client(port);
  constexpr std::size_t requests = 40;
  client.write(get("/later", ""));
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  loop->poll();  // it is read from
  const auto send_half = [&] {
    for (std::size_t i = 0; i < requests / 2; ++i) client.write(get("/later", ""));
    std::this_thread::sleep_for(milliseconds(10));
  };
  send_half();
  loop->catch_up(echo.later->connection);
  send_half();
  std::string text;
  std::size_t answered = 0;
  EXPECT_TRUE(turn_until([&] {
    while (answered < echo.unanswered.size()) loop->respond(echo.unanswered[answered++], {.body = "now"});
    return client.read(text) && answered == requests + 1;
  })) << answered;
  EXPECT_THAT(text, testing::Not(HasSubstr("400")));
}

TEST_F(LoopTest, RefusesOtherHostsAndOrigins) {
  for (const std::string path : {"/healthz", "/metrics", "/v1/x", "/socket"}) {
    for (const auto& [fields, status] : {std::pair<std::string, std::string>{"Host: evil.example\r\n", "421"},
                                         {"Host: 127.0.0.1.evil:" + std::to_string(port) + "\r\n", "421"},
                                         {host + "Origin: null\r\n", "403"},
                                         {host + "Origin: http://localhost.evil\r\n", "403"}}) {
      Client client(port);
      client.write("GET " + path + " HTTP/1.1\r\n" + fields +
                   "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
      EXPECT_THAT(read_to_end(client), StartsWith("HTTP/1.1 " + status)) << path << fields;
    }
  }
  EXPECT_EQ(echo.heads, 0);
  EXPECT_THAT(metrics.text(), HasSubstr("parley_http_requests_total{status=\"4xx\"} 16"));
}

TEST_F(LoopTest, RefusesBeforeTheBodyIsRead) {  // D10
  Client client(port);
  client.write("POST /secret HTTP/1.1\r\n" + host + "Content-Length: 1000000000\r\n\r\n");
  EXPECT_THAT(read_to_end(client), HasSubstr("401"));
  Client large(port);
  large.write("POST /x HTTP/1.1\r\n" + host + "Content-Length: 1001\r\n\r\n");
  EXPECT_THAT(read_to_end(large), HasSubstr("PAYLOAD_TOO_LARGE"));
}

TEST_F(LoopTest, EchoesWebSocketMessagesOfEightMegabytes) {
  Client client(port);
  client.write(upgrade());
  const auto answer = read_until(client, "\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));

  wire::Output output;
  base::TestRandom masks;
  websocket::Settings settings;
  auto machine = websocket::Connection::client(settings, output, masks, {});
  const std::string message(8 << 20, 'm');
  machine.send(websocket::MessageKind::text, std::string_view("small"));
  machine.send(websocket::MessageKind::binary, std::string_view(message));
  std::vector<std::string> messages;
  bool closed = false;
  const auto exchange = [&] {
    const std::string bytes = output.text();
    output.consume(client.write(bytes));
    std::string part;
    client.read(part);
    std::span<char> input = part;
    websocket::Connection::Step step;
    while ((step = machine.receive(input, {})) != websocket::Connection::Step::need_more) {
      if (step == websocket::Connection::Step::closed) closed = true;
      if (step == websocket::Connection::Step::message) messages.emplace_back(machine.message());
    }
  };
  ASSERT_TRUE(turn_until([&] { return exchange(), messages.size() == 2; }));
  EXPECT_EQ(messages[0], "small");
  EXPECT_TRUE(messages[1] == message);
  machine.close(1000, "", {});
  ASSERT_TRUE(turn_until([&] { return exchange(), closed; }));
  EXPECT_EQ(echo.events.front(), "open");
  EXPECT_EQ(echo.events.back(), "socket closed 1000");
  EXPECT_EQ(metrics.counter(observe::Metric::websocket_messages, "in").value(), 2u);
  EXPECT_GT(metrics.counter(observe::Metric::network_written_bytes).value(), 8u << 20);
}

// D6: a reader that does not read is told of, not read from, and cut at the bound; one that reads again is told of.
TEST_F(LoopTest, TellsWhoIsSlowAndCutsWhoStaysSo) {
  LoopSettings settings;
  settings.output_bytes_max = 4 << 20;
  start(settings);
  Client client(port);
  client.write(upgrade());
  read_until(client, "\r\n\r\n");
  const auto unwritten = [&] { return loop->unwritten_bytes(echo.socket); };
  // Fills the kernel's buffers first, however large they are.
  while (unwritten() < 2 << 20) {
    ASSERT_TRUE(loop->send(echo.socket, websocket::MessageKind::binary, std::string(1 << 20, 'x')));
    loop->flush();
  }
  EXPECT_THAT(echo.events, testing::ElementsAre("open", "slow"));
  std::string text;
  ASSERT_TRUE(turn_until([&] { return client.read(text) && unwritten() == 0; }));
  EXPECT_THAT(echo.events, testing::ElementsAre("open", "slow", "drained"));
  while (loop->send(echo.socket, websocket::MessageKind::binary, std::string(1 << 20, 'x'))) loop->flush();
  EXPECT_EQ(echo.events.back(), "socket closed 1006");
  EXPECT_EQ(metrics.counter(observe::Metric::connections_slow).value(), 1u);
}

// COR-13: also where its front closes it, and once, whatever becomes of it.
TEST_F(LoopTest, CountsOnceWhoIsSlow) {
  LoopSettings settings;
  settings.write_stall_timeout = milliseconds(50);
  start(settings);
  Client client(port);
  client.take_little();
  client.write(upgrade());
  read_until(client, "\r\n\r\n");
  ASSERT_TRUE(loop->send(echo.socket, websocket::MessageKind::binary, std::string(16 << 20, 'x')));
  ASSERT_TRUE(loop->close(echo.socket, websocket::close_code::too_slow, "too slow"));
  EXPECT_EQ(metrics.counter(observe::Metric::connections_slow).value(), 1u);
  EXPECT_TRUE(turn_until([&] { return loop->connections() == 0; }));
  EXPECT_EQ(metrics.counter(observe::Metric::connections_slow).value(), 1u);
}

TEST_F(LoopTest, AnswersAPeerThatSendsNoMoreAndGivesUpOnOneThatWaits) {
  Client client(port);
  client.write(get("/a", ""));
  shutdown(client.descriptor, SHUT_WR);
  EXPECT_THAT(read_to_end(client), HasSubstr("/a []"));
  Client waiting(port);
  waiting.write(get("/later", ""));
  shutdown(waiting.descriptor, SHUT_WR);
  const auto begun = clock.monotonic();
  EXPECT_THAT(read_to_end(waiting), IsEmpty());
  EXPECT_GE(clock.monotonic() - begun, milliseconds(900));
}

TEST_F(LoopTest, WritesTheLastAnswerToAPeerThatSendsNoMore) {
  Client client(port);
  client.take_little();
  client.write(get("/later"));
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  loop->poll();  // it is read from
  const std::string body(16 << 20, 'x');
  ASSERT_TRUE(loop->respond(*echo.later, {.body = body}));
  for (int i = 0; i < 3; ++i) loop->poll();  // what the kernel takes is written
  shutdown(client.descriptor, SHUT_WR);
  for (int i = 0; i < 3; ++i) loop->poll();
  EXPECT_GT(read_to_end(client).size(), body.size());
}

// D11: who asks and does not read is not asked further, and then not kept.
TEST_F(LoopTest, HoldsLittleForAPeerThatAsksAndDoesNotRead) {
  std::size_t asked_for = 0;
  echo.asked = [&](std::string_view) { ++asked_for; };
  Client client(port);
  constexpr std::size_t requests = 300;
  std::string unsent;
  for (std::size_t i = 0; i < requests; ++i) unsent += get("/large", "");
  const auto send_more = [&] { unsent.erase(0, client.write(unsent)); };
  std::size_t before = 1;
  for (std::size_t since = 0; since < 50; ++since) {
    send_more();
    loop->wait(clock.monotonic() + milliseconds(2));
    if (std::exchange(before, asked_for) != asked_for) since = 0;
  }
  const std::uint64_t written = metrics.counter(observe::Metric::network_written_bytes).value();
  EXPECT_LE(asked_for, written / large_bytes + 10);
  EXPECT_LT(asked_for, requests);
  std::string text;  // and when it reads it has all of it
  ASSERT_TRUE(turn_until([&] {
    send_more();
    while (client.read(text) && text.size() > 64) text.erase(0, text.size() - 64);
    return asked_for == requests;
  }));
}

TEST_F(LoopTest, CutsAPeerThatTakesNextToNothing) {
  LoopSettings settings;
  settings.write_stall_timeout = milliseconds(200);
  settings.http.head_timeout = settings.http.idle_timeout = milliseconds(100);  // no times of who is owed an answer
  start(settings);
  for (const std::size_t a_time : {std::size_t{16}, std::size_t{64} << 10}) {
    Client client(port);
    client.take_little();
    client.write(get("/later", ""));
    echo.later.reset();
    ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
    loop->respond(*echo.later, {.body = std::string(16 << 20, 'x')});
    const auto end = clock.monotonic() + seconds(1);
    std::string part(a_time, '\0');
    while (clock.monotonic() < end && loop->connections() == 1) {
      EXPECT_TRUE(recv(client.descriptor, part.data(), part.size(), MSG_DONTWAIT) >= 0 || errno == EAGAIN);
      loop->wait(clock.monotonic() + milliseconds(10));
      loop->flush();
    }
    EXPECT_EQ(loop->connections(), a_time == 16 ? 0u : 1u);
  }
}

// D11: who comes takes the place of the oldest that has shown no token, and whoever has shown one stays.
TEST_F(LoopTest, StrangersMakeRoomForWhoComes) {
  LoopSettings settings;
  settings.connections_max = 4;
  settings.strangers_max = 2;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  const auto connect = [&]() -> Client& {
    clients.push_back(std::make_unique<Client>(port));
    const auto accepted = clients.size();
    auto& counter = metrics.counter(observe::Metric::connections_accepted);
    EXPECT_TRUE(turn_until([&] { return counter.value() == accepted; }));
    return *clients.back();
  };
  const auto connect_known = [&]() -> Client& {
    Client& client = connect();
    client.write(get("/known", ""));
    read_until(client, "/known []");
    return client;
  };
  const auto is_open = [&](Client& client) {
    for (int i = 0; i < 3; ++i) loop->poll();
    std::string text;
    return client.read(text);
  };
  Client& first = connect();
  Client& known = connect_known();
  Client& second = connect();
  EXPECT_TRUE(is_open(first));
  Client& third = connect();  // there may be two
  EXPECT_FALSE(is_open(first));
  connect_known();
  EXPECT_FALSE(is_open(second));
  connect_known();
  EXPECT_TRUE(is_open(third));
  connect_known();  // there may be four
  EXPECT_FALSE(is_open(third));
  Client refused(port);
  EXPECT_THAT(read_to_end(refused), StartsWith("HTTP/1.1 503")) << "all have shown a token";
  EXPECT_TRUE(is_open(known));
  EXPECT_EQ(loop->connections(), 4u);
  EXPECT_EQ(metrics.counter(observe::Metric::connections_refused, "stranger").value(), 3u);
}

// Of many that come at once none is closed before it was read from: what it sent may have a token in it.
TEST_F(LoopTest, StrangersThatHaveSentSomethingAreReadFirst) {
  LoopSettings settings;
  settings.strangers_max = 8;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 24; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->write(get("/known", ""));
  }
  for (auto& client : clients) read_until(*client, "/known []");
  EXPECT_EQ(loop->connections(), 24u);
}

// Of the numbers below the limit one is free where a stranger has gone, and who comes gets it.
TEST_F(LoopTest, StrangersMakeRoomAmongTheDescriptors) {
  LoopSettings settings;
  const int lowest = ::dup(0);
  ::close(lowest);
  settings.descriptors_max = lowest + 20;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->write(get("/a", ""));
    read_until(*clients.back(), "/a []");
  }
  EXPECT_GT(loop->connections(), 0u);
  EXPECT_LT(loop->connections(), 20u);
}

// B5: a descriptor's number says how many are open at least: what the journal needs is never a stranger's.
TEST_F(LoopTest, LeavesDescriptorsToOthers) {
  LoopSettings settings;
  const int next = ::dup(0);
  ::close(next);
  settings.descriptors_max = next + 10;
  start(settings);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<Client>(port));
  EXPECT_THAT(read_to_end(*clients.back()), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(loop->connections(), 0u) << "the clients of this process have the numbers below";
  // Nor does the watchdog take them.
  loop->poll();
  Client during(port);
  pollfd closed = {during.descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 2000), 1);
  clients.clear();
  Client one(port);
  one.write(get("/a"));
  EXPECT_THAT(read_to_end(one), HasSubstr("/a []"));
}

// E4: without descriptors the loop pauses, does not spin, and goes on when there are some again.
TEST_F(LoopTest, PausesWhenTheProcessHasNoMoreDescriptors) {
  Client client(port);
  client.write(get("/a"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {static_cast<rlim_t>(client.descriptor) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto end = clock.monotonic() + milliseconds(350);
  int turns = 0;
  while (clock.monotonic() < end) {
    loop->wait(end);
    ++turns;
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const auto pauses = metrics.counter(observe::Metric::connections_refused, "descriptors").value();
  EXPECT_GE(pauses, 2u);
  EXPECT_LE(pauses, 4u);
  EXPECT_LE(turns, 12);
  EXPECT_THAT(read_to_end(client), HasSubstr("/a []"));
  EXPECT_THAT(lines, testing::Not(IsEmpty()));
}

// The surface's promise: /healthz within 500 ms whatever the loop does.
// COR-13
TEST_F(LoopTest, TheWatchdogAnswersHealthWhileTheLoopIsBusy) {
  loop->poll();  // a turn begins, and does not end
  std::this_thread::sleep_for(milliseconds(150));
  Client health(port), other(port), silent(port), foreign(port);
  health.write(get("/healthz", ""));
  other.write(get("/other"));
  foreign.write("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  pollfd readable = {health.descriptor, POLLIN, 0};
  const auto begun = clock.monotonic();
  ASSERT_EQ(poll(&readable, 1, 2000), 1);
  EXPECT_LE(clock.monotonic() - begun, milliseconds(500));
  std::string text;
  while (health.read(text)) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(text, HasSubstr("loop_busy_ms"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Date: ")));  // whose time would be that of the turn that does not end
  EXPECT_EQ(metrics.counter(observe::Metric::watchdog_answers).value(), 1u);
  // Everybody else is the loop's again once it turns.
  EXPECT_THAT(read_to_end(other), HasSubstr("/other []"));
  EXPECT_THAT(read_to_end(foreign), StartsWith("HTTP/1.1 421"));
  silent.write(get("/silent"));
  EXPECT_THAT(read_to_end(silent), HasSubstr("/silent []"));
}

TEST_F(LoopTest, WakesForOtherThreadsTimersAndSignals) {
  std::vector<std::string> seen;
  std::thread other([&] { loop->post([&] { seen.push_back("posted"); }); });
  ASSERT_TRUE(turn_until([&] { return seen.size() == 1; }));
  other.join();
  const auto begun = clock.monotonic();
  loop->at(begun + milliseconds(20), [&] { seen.push_back("timer"); });
  while (seen.size() == 1) loop->wait(base::Duration::max());
  EXPECT_GE(clock.monotonic() - begun, milliseconds(20));
  std::thread waker([&] {
    std::this_thread::sleep_for(milliseconds(20));
    loop->wake();
  });
  loop->wait(base::Duration::max());
  waker.join();
  loop->on_stop_signal([&](int signal) { seen.push_back("signal " + std::to_string(signal)); });
  std::raise(SIGTERM);
  ASSERT_TRUE(turn_until([&] { return seen.size() == 3; }));
  EXPECT_THAT(seen, testing::ElementsAre("posted", "timer", "signal 15"));
}

TEST_F(LoopTest, SaysThatMoreIsReadyAndCallsNobody) {
  Client client(port);
  ASSERT_TRUE(turn_until([&] { return loop->connections() == 1; }));
  loop->poll();
  EXPECT_FALSE(loop->more_is_ready());
  client.write(upgrade());
  const auto end = clock.monotonic() + seconds(5);
  while (!loop->more_is_ready() && clock.monotonic() < end) std::this_thread::yield();
  EXPECT_TRUE(loop->more_is_ready());
  EXPECT_THAT(echo.events, IsEmpty());
  loop->wait(base::Duration::max());  // what was seen is not lost
  EXPECT_THAT(echo.events, testing::ElementsAre("open"));
  EXPECT_FALSE(loop->more_is_ready());
}

// D11: where each takes long, a turn ends after one; whoever waits has its turn before others that come.
TEST_F(LoopTest, ServesThoseThatAreReadyInAsManyTurnsAsItTakes) {
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(3, "");
  loop->poll();
  ASSERT_EQ(asked.size(), 1u);
  clients[static_cast<std::size_t>(asked.front()[1] - '0')]->write(get("/again", ""));
  for (std::size_t turns = 2; turns <= 4; ++turns) {
    loop->poll();
    EXPECT_EQ(asked.size(), turns);
  }
  EXPECT_EQ(asked.back(), "/again");
}

// What has come in time is served, though its time runs out before its turn comes.
TEST_F(LoopTest, NoTimeRunsOutForWhatHasCome) {
  LoopSettings settings;
  settings.http.head_timeout = milliseconds(50);
  start(settings);
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(60);
  for (const auto& client : clients) EXPECT_THAT(read_to_end(*client), HasSubstr("200 OK"));
}

TEST_F(LoopTest, WhatHasComeIsServedBeforeItStops) {
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(20);
  loop->poll();
  loop->drain();
  for (const auto& client : clients) EXPECT_THAT(read_to_end(*client), HasSubstr("200 OK"));
}

// What calls itself again and again, as workers with much to hand back do.
TEST_F(LoopTest, WorkThatIsPostedKeepsNobodyWaiting) {
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(1);
  int left = 40;
  std::function<void()> work = [&] {
    std::this_thread::sleep_for(milliseconds(2));
    if (--left > 0) loop->post(work);
  };
  loop->post(work);
  for (int turns = 0; turns < 3; ++turns) loop->poll();
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_TRUE(turn_until([&] { return left == 0; }));
}

// Looking instead of sleeping is for a loop that is asked often; one that nobody asks anything sleeps.
TEST_F(LoopTest, AnIdleLoopUsesNoProcessor) {
  Client client(port);
  for (int i = 0; i < 200; ++i) {
    client.write(get("/a", ""));
    read_until(client, "/a []");
  }
  for (int i = 0; i < 8; ++i) loop->wait(clock.monotonic() + milliseconds(1));
  const auto processor = [] { return std::clock(); };
  const auto before = processor();
  for (int i = 0; i < 100; ++i) loop->wait(clock.monotonic() + milliseconds(2));
  EXPECT_LT(processor() - before, CLOCKS_PER_SEC / 20) << "of 0.2 s";
}

TEST_F(LoopTest, DrainsInOrder) {
  std::optional<Client> idle(port), waiting(port), sockets(port);
  waiting->write(get("/later", ""));
  sockets->write(upgrade());
  ASSERT_TRUE(turn_until([&] { return echo.later && !echo.events.empty() && loop->connections() == 3; }));
  loop->poll();  // all are read from
  loop->drain();
  sockets->write(std::string("\x81\x81\0\0\0\0x", 7));  // comes too late
  EXPECT_THAT(read_to_end(*idle), IsEmpty());
  idle.reset();
  loop->respond(*echo.later, {.body = "done"});
  const auto text = read_to_end(*waiting);
  EXPECT_THAT(text, HasSubstr("Connection: close"));
  EXPECT_THAT(text, HasSubstr("done"));
  waiting.reset();
  ASSERT_TRUE(loop->send(echo.socket, websocket::MessageKind::text, "a result"));
  EXPECT_THAT(read_until(*sockets, "result"), testing::EndsWith("\r\n\r\n\x81\x08"
                                                                "a result"));
  loop->close_drained();
  EXPECT_THAT(read_until(*sockets, "stopping"), StartsWith("\x88")) << "nothing but the close";
  EXPECT_TRUE(turn_until([&] { return loop->connections() == 1; }));
  sockets->write(std::string("\x88\x82\0\0\0\0\x03\xe9", 8));
  read_to_end(*sockets);
  sockets.reset();
  EXPECT_TRUE(turn_until([&] { return loop->connections() == 0; }));
  EXPECT_EQ(echo.events.back(), "socket closed 1001");
}

// D10, J4
TEST_F(LoopTest, ListensBeyondLoopbackOnlyWhenTold) {
  EXPECT_FALSE(loop->listen({.host = "0.0.0.0"}));
  EXPECT_FALSE(loop->listen({.host = "::"}));
  EXPECT_FALSE(loop->listen({.host = "localhost"})) << "an address is wanted";
  EXPECT_TRUE(loop->listen({.host = "0.0.0.0", .beyond_loopback = true}));
  const auto taken = loop->listen({.port = port});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, base::ErrorCode::CANNOT_LISTEN);
}

// E1, and the budget: an idle connection costs at most 6 KB; descriptors come back.
TEST_F(LoopTest, IdleConnectionsAreSmallAndLeaveNothing) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  constexpr std::size_t count = 1000;
  const auto descriptors_before = descriptors();
  for (const bool websocket : {false, true}) {
    std::vector<std::unique_ptr<Client>> clients;
    const auto in_use = [] { return mallinfo2().uordblks; };
    for (std::size_t i = 0; i < count; ++i) clients.push_back(std::make_unique<Client>(port));
    const auto before = in_use();
    ASSERT_TRUE(turn_until([&] { return loop->connections() == count; }));
    for (auto& client : clients) client->write(websocket ? upgrade() : get("/a", ""));
    for (auto& client : clients) read_until(*client, websocket ? "\r\n\r\n" : "/a []");
    const auto each = (in_use() - before) / count;
    RecordProperty(websocket ? "bytes_per_idle_websocket" : "bytes_per_idle_http", static_cast<int>(each));
    std::printf("%s: %zu bytes an idle connection\n", websocket ? "WebSocket" : "HTTP", each);
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LE(each, 6u * 1024);
#endif
    clients.clear();
    ASSERT_TRUE(turn_until([&] { return loop->connections() == 0; }));
  }
  EXPECT_EQ(descriptors(), descriptors_before);
}

}  // namespace
}  // namespace parley::net
