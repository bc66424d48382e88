// Requests and their answers.
#include "net/test_loop.hpp"

namespace parley::net {
namespace {

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

TEST_F(LoopTest, GoesOnAtOnceWithWhatItHeldBack) {
  Client client(port);
  const std::size_t ahead = LoopSettings().http.pipelined_max;
  for (std::size_t i = 0; i <= ahead; ++i) client.write(get("/later", ""));
  ASSERT_TRUE(turn_until([&] { return echo.unanswered.size() == ahead; }));
  for (const RequestId id : echo.unanswered) loop->respond(id, {.body = "now"});
  const auto begun = clock.monotonic();
  loop->wait(begun + seconds(10));
  EXPECT_EQ(echo.unanswered.size(), ahead + 1);
  EXPECT_LT(clock.monotonic() - begun, seconds(5)) << "its answer would have waited as long";
}

TEST_F(LoopTest, ReadsNothingPastWhatItHeldBack) {
  Client client(port);
  constexpr std::size_t requests = 40;
  client.write(get("/later", ""));
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  loop->poll();  // it is read from
  const auto send_half = [&] {
    for (std::size_t i = 0; i < requests / 2; ++i) client.write(get("/later", ""));
    client.wait_until_taken();
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

// What is called behind a call that is not decided yet comes after it, however long that takes; a client that has said
// all that it will say is not gone.
TEST_F(LoopTest, HoldsCallsBehindOneThatIsNotDecided) {
  LoopSettings settings;
  settings.abandoned_timeout = seconds(60);
  start(settings);
  std::vector<std::string> paths;
  echo.asked = [&](std::string_view path) { paths.emplace_back(path); };
  echo.holds_calls = true;
  Client client(port);
  client.write(get("/later", ""));
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  client.write(get("/b", "") + get("/c", ""));
  client.wait_until_taken();
  shutdown(client.descriptor, SHUT_WR);
  for (int i = 0; i < 5; ++i) {
    clock.put_forward(settings.abandoned_timeout);
    loop->poll();
  }
  EXPECT_THAT(paths, testing::ElementsAre("/later"));
  loop->respond(*echo.later, {.body = "at last"});
  loop->hold_reading(echo.later->connection, false);
  const auto text = read_to_end(client);
  EXPECT_THAT(paths, testing::ElementsAre("/later", "/b", "/c"));
  EXPECT_LT(text.find("at last"), text.find("/b []"));
  EXPECT_THAT(text, HasSubstr("/c []"));
}

TEST_F(LoopTest, HoldsCallsThatCameWithTheOneThatIsNotDecided) {
  std::vector<std::string> paths;
  echo.asked = [&](std::string_view path) { paths.emplace_back(path); };
  echo.holds_calls = true;
  Client client(port);
  client.write(get("/later", "") + get("/b"));
  ASSERT_TRUE(turn_until([&] { return echo.later.has_value(); }));
  for (int i = 0; i < 3; ++i) loop->poll();
  EXPECT_THAT(paths, testing::ElementsAre("/later"));
  loop->respond(*echo.later, {.body = "at last"});
  loop->hold_reading(echo.later->connection, false);
  EXPECT_THAT(read_to_end(client), HasSubstr("/b []"));
}

// J1, J2: refused before any front is asked, on every path and the upgrade too; no side effect.
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

}  // namespace
}  // namespace parley::net
