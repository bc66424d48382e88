// Numbers as people read them in the server's words.
#include "engine/messages/fields.hpp"

#include <gtest/gtest.h>

namespace parley::engine {
namespace {

TEST(Fields, A_number_is_told_whole_and_no_longer_than_it_is) {
  EXPECT_EQ(text_of(0.8), "0.8");
  EXPECT_EQ(text_of(1.0), "1");
  EXPECT_EQ(text_of(0.12345678), "0.12345678");
  EXPECT_EQ(text_of(1e-9), "1e-09");
}

}  // namespace
}  // namespace parley::engine
