// Peers that are slow, send no more, or do not read (D11, reliability D6); and large messages.
#include "net/test_loop.hpp"
#include "net/websocket/handshake.hpp"

namespace parley::net {
namespace {

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

// reliability D6: a reader that does not read is told of, not read from, and cut at the bound; one that reads again is
// told of.
TEST_F(LoopTest, TellsWhoIsSlowAndCutsWhoStaysSo) {
  LoopSettings settings;
  settings.output_bytes_max = 4 << 20;
  start(settings);
  Client client(port);
  client.write(upgrade());
  read_until(client, "\r\n\r\n");
  // Fills the kernel's buffers first, however large they are.
  while (echo.events.back() != "slow") {
    ASSERT_TRUE(loop->send(echo.socket, websocket::MessageKind::binary, std::string(1 << 20, 'x')));
    loop->flush();
  }
  EXPECT_THAT(echo.events, testing::ElementsAre("open", "slow"));
  std::string text;
  ASSERT_TRUE(turn_until([&] { return client.read(text) && echo.events.back() == "drained"; }));
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
  LoopSettings settings;
  settings.abandoned_timeout = seconds(60);
  start(settings);
  Client waiting(port);
  waiting.write(get("/later", ""));
  shutdown(waiting.descriptor, SHUT_WR);
  std::string text;
  const auto polled_after = [&](base::Duration time) {
    clock.put_forward(time);
    for (int i = 0; i < 3; ++i) loop->poll();
    return waiting.read(text);
  };
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  EXPECT_TRUE(polled_after({}));
  EXPECT_TRUE(polled_after(settings.abandoned_timeout / 2));
  EXPECT_FALSE(polled_after(settings.abandoned_timeout));
  EXPECT_THAT(text, IsEmpty());
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

// E6: whoever is not read from has not fallen silent.
TEST_F(LoopTest, KeepsAPeerThatItDoesNotReadFrom) {
  LoopSettings settings;
  Client client(port);
  client.write(upgrade());
  read_until(client, "\r\n\r\n");
  loop->hold_reading(echo.socket, true);
  for (int i = 0; i < 10; ++i) {
    clock.put_forward(settings.websocket.ping_after + settings.websocket.pong_timeout);
    loop->poll();
  }
  EXPECT_THAT(echo.events, testing::ElementsAre("open"));
  loop->hold_reading(echo.socket, false);
  for (int i = 0; i < 3; ++i) loop->poll();
  EXPECT_THAT(echo.events, testing::ElementsAre("open"));
  for (int i = 0; i < 3; ++i) {  // now its silence counts
    clock.put_forward(settings.websocket.ping_after + settings.websocket.pong_timeout);
    loop->poll();
  }
  EXPECT_THAT(echo.events, testing::ElementsAre("open", "socket closed 1006"));
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

// For a hundred seconds, which pass with what it takes.
TEST_F(LoopTest, CutsAPeerThatTakesNextToNothing) {
  LoopSettings settings;
  settings.write_stall_timeout = seconds(20);
  settings.http.head_timeout = settings.http.idle_timeout = seconds(10);  // no times of who is owed an answer
  start(settings);
  for (const std::size_t a_second : {std::size_t{16}, std::size_t{64} << 10}) {
    Client client(port);
    client.take_little();
    client.write(get("/later", ""));
    echo.later.reset();
    ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
    loop->respond(*echo.later, {.body = std::string(16 << 20, 'x')});
    std::string part(a_second, '\0');
    std::size_t taken = 0, passed = 0;
    EXPECT_TRUE(turn_until([&] {
      const auto count = recv(client.descriptor, part.data(), part.size(), MSG_DONTWAIT);
      EXPECT_TRUE(count >= 0 || errno == EAGAIN);
      if (count > 0) taken += static_cast<std::size_t>(count);
      for (; passed < taken / a_second; ++passed) clock.put_forward(seconds(1));
      return passed == 100 || loop->connections() == 0;
    }));
    EXPECT_EQ(loop->connections(), a_second == 16 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace parley::net
