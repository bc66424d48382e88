#include "engine/later.hpp"

#include <gtest/gtest.h>

namespace parley::engine {
namespace {

TEST(Later, C3_however_long_the_wait_there_is_no_overflow) {
  const base::Instant now = base::instant_of(1'770'109'200'000'000);
  const base::Instant last = later(now, base::Duration::max());
  EXPECT_GT(last, now);
  EXPECT_EQ(later(last, base::Duration(1)), last);
  EXPECT_EQ(later(base::instant_of(5), base::Duration(7)), base::instant_of(12));
}

}  // namespace
}  // namespace parley::engine
