// What answers while the loop cannot.
#include <poll.h>

#include "net/test_loop.hpp"

namespace parley::net {
namespace {

// COR-13: /healthz within 500 ms, whatever the loop does.
TEST_F(LoopTest, TheWatchdogAnswersHealthWhileTheLoopIsBusy) {
  loop->poll();  // a turn begins, and does not end
  clock.put_forward(milliseconds(150));
  Client health(port), other(port), silent(port), foreign(port);
  health.write(get("/healthz", ""));
  other.write(get("/other"));
  foreign.write("GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  pollfd readable = {health.descriptor, POLLIN, 0};
  const auto begun = clock.monotonic();
  ASSERT_EQ(poll(&readable, 1, 2000), 1);
  EXPECT_LE(clock.monotonic() - begun, milliseconds(500));
  std::string text;
  while (health.read(text)) ASSERT_EQ(poll(&readable, 1, 2000), 1);
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

}  // namespace
}  // namespace parley::net
