#include "engine/resources/amount.hpp"

#include <gtest/gtest.h>

namespace parley::engine {
namespace {

std::string read(std::string_view json) {
  const auto amount = amount_of(json);
  return amount ? text_of(*amount) : "none";
}

// HND-12: exact decimals, as the document writes them.
TEST(Amounts, are_read_as_they_are_written) {
  for (const std::string_view text : {"0", "1", "0.1", "1.75", "120000", "0.000001", "999999999999.999999"})
    EXPECT_EQ(read(text), text);
  EXPECT_EQ(read("1e3"), "1000");
  EXPECT_EQ(read("1.75E+2"), "175");
  EXPECT_EQ(read("25e-1"), "2.5");
  EXPECT_EQ(read("0.10"), "0.1");
  EXPECT_EQ(read("0e9"), "0");
}

TEST(Amounts, finer_than_a_millionth_are_rounded_up) {
  EXPECT_EQ(read("0.0000001"), "0.000001");
  EXPECT_EQ(read("1e-300"), "0.000001");
  EXPECT_EQ(read("1e-99999999999"), "0.000001");
  EXPECT_EQ(read("2.0000000001"), "2.000001");
  EXPECT_EQ(read("2.0000000"), "2");
}

TEST(Amounts, larger_than_the_largest_are_the_largest) {
  for (const std::string_view text :
       {"1e12", "1000000000000.5", "9007199254740991", "1e300", "1e2147483647", "1e99999999999"})
    EXPECT_EQ(read(text), "1000000000000") << text;
}

TEST(Amounts, that_are_none_are_not_read) {
  for (const std::string_view text : {"", "-1", "null", "\"1\"", "[]", "true", "1e", "e5"})
    EXPECT_EQ(read(text), "none");
}

// HND-12: 0.1 ten times is 1, and taken away again nothing, in whatever order.
TEST(Sums, leave_nothing_behind) {
  Sum sum;
  for (int i = 0; i < 10; ++i) sum.add(*amount_of("0.1"));
  EXPECT_EQ(text_of(sum.amount()), "1");
  for (int i = 0; i < 100; ++i) sum.add(amount_max);
  EXPECT_EQ(sum.amount(), amount_max);
  for (int i = 0; i < 100; ++i) sum.take(amount_max);
  EXPECT_EQ(text_of(sum.amount()), "1");
  for (int i = 0; i < 10; ++i) sum.take(*amount_of("0.1"));
  EXPECT_EQ(sum, Sum{});
}

}  // namespace
}  // namespace parley::engine
