#include "base/named.hpp"

#include <gtest/gtest.h>

namespace parley::base {
namespace {

enum class Colour : unsigned char { red, green };
constexpr std::array<std::string_view, 2> colours{"red", "green"};

TEST(Named, IsTheEnumeratorOfTheWord) {
  EXPECT_EQ(named<Colour>(colours, "red"), Colour::red);
  EXPECT_EQ(named<Colour>(colours, "green"), Colour::green);
  EXPECT_EQ(named<Colour>(colours, "Green"), std::nullopt);
  EXPECT_EQ(named<Colour>(colours, ""), std::nullopt);
}

}  // namespace
}  // namespace parley::base
