#include "broker/later_turns.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parley::broker {
namespace {

Caller agent(std::uint32_t number) {
  Caller caller;
  caller.workspace_number = base::WorkspaceNumber(1);
  caller.agent = base::AgentNumber(number);
  return caller;
}

class LaterTurnsTest : public testing::Test {
 protected:
  bool add(std::uint32_t number, std::string what, std::size_t bytes = 1) {
    return later_.add(agent(number), bytes, [this, what] { done_ += what; });
  }
  std::string all() {
    while (!later_.empty()) later_.take()();
    return std::exchange(done_, {});
  }

  LaterTurns later_;
  std::string done_;
};

TEST_F(LaterTurnsTest, GoRoundByCallerAndKeepTheOrderOfEach) {
  for (const char* const what : {"a", "b", "c"}) ASSERT_TRUE(add(1, what));
  ASSERT_TRUE(add(2, "x"));
  ASSERT_TRUE(add(3, "y"));
  EXPECT_EQ(later_.size(), 5U);
  EXPECT_EQ(all(), "axybc");
  EXPECT_EQ(later_.size(), 0U);
}

TEST_F(LaterTurnsTest, HaveRoomForEachAndForAll) {
  const std::size_t most = LaterTurns::bytes_of_one_max;
  ASSERT_TRUE(add(1, "a", most));
  EXPECT_FALSE(add(1, "b"));
  std::uint32_t callers = 1;
  while (add(callers + 1, "x", most)) ++callers;
  EXPECT_EQ(callers, LaterTurns::bytes_max / most);
  EXPECT_FALSE(add(callers + 2, "y"));
  later_.take()();
  EXPECT_TRUE(add(1, "c", most));  // what goes on finds the room that it had
  EXPECT_EQ(all(), "a" + std::string(callers - 1, 'x') + "c");
  EXPECT_TRUE(add(1, "d", most));
}

}  // namespace
}  // namespace parley::broker
