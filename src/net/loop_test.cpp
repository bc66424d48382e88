// Turns, timers, signals and the end of the loop.
#include <csignal>
#include <ctime>

#include "net/test_loop.hpp"

namespace parley::net {
namespace {

TEST_F(LoopTest, WakesForOtherThreadsTimersAndSignals) {
  std::vector<std::string> seen;
  std::thread other([&] { loop->post([&] { seen.push_back("posted"); }); });
  ASSERT_TRUE(turn_until([&] { return seen.size() == 1; }));
  other.join();
  const auto begun = clock.monotonic();
  loop->at(begun + milliseconds(20), [&] { seen.push_back("timer"); });
  while (seen.size() == 1) loop->wait(base::Duration::max());
  EXPECT_GE(clock.monotonic() - begun, milliseconds(20));
  std::thread waker([&] { loop->wake(); });
  loop->wait(base::Duration::max());  // begun before or after
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
  settings.http.head_timeout = seconds(10);
  serving_takes = seconds(1);
  start(settings);
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(60);
  for (const auto& client : clients) EXPECT_THAT(read_to_end(*client), HasSubstr("200 OK"));
}

// What calls itself again and again, as workers with much to hand back do.
TEST_F(LoopTest, WorkThatIsPostedKeepsNobodyWaiting) {
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(1);
  int left = 40;
  std::function<void()> work = [&] {
    clock.put_forward(milliseconds(2));
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

TEST_F(LoopTest, WhatHasComeIsServedBeforeItStops) {
  std::vector<std::unique_ptr<Client>> clients = serving_slowly(20);
  loop->poll();
  loop->drain();
  for (const auto& client : clients) EXPECT_THAT(read_to_end(*client), HasSubstr("200 OK"));
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

}  // namespace
}  // namespace parley::net
