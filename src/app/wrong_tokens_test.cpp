#include "app/wrong_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_clock.hpp"

namespace parley::app {
namespace {

// I4: whoever tries tokens is in the log at once, and cannot fill it.
TEST(WrongTokens, are_told_once_in_ten_seconds) {
  base::TestClock clock;
  std::vector<std::string> lines;
  const auto log =
      observe::Log::to_function(clock, observe::Level::info, [&](std::string_view line) { lines.emplace_back(line); });
  WrongTokens wrong(clock, *log);
  for (int i = 0; i < 1'000; ++i) wrong.seen("http");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], testing::HasSubstr(R"("event":"wrong_token","front":"http","count":1)"));
  clock.passed += std::chrono::seconds(10);
  wrong.seen("websocket");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[1], testing::HasSubstr(R"("front":"websocket","count":1000)"));
}

}  // namespace
}  // namespace parley::app
