#include "base/thread.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace parley::base {
namespace {

int niceness() {
  return ::getpriority(PRIO_PROCESS, 0);
}

TEST(Thread, TheOneThatCallsStandsBackAndNoOther) {
  const int before = niceness();
  int behind = before;
  std::thread([&] {
    stand_back();
    behind = niceness();
  }).join();
  EXPECT_EQ(behind, std::min(before + 5, 19));
  EXPECT_EQ(niceness(), before);
}

}  // namespace
}  // namespace parley::base
