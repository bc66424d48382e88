#include "base/packed_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace parley::base {
namespace {

std::vector<std::string> read(const PackedTexts& texts) {
  return {texts.begin(), texts.end()};
}

TEST(PackedTexts, are_those_that_were_packed) {
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {}, {""}, {"a"}, {"", ""}, {"src/**", "", "docs/guide.md"}, {std::string(300, 'x'), "y"}}) {
    const PackedTexts packed(texts);
    EXPECT_EQ(packed.size(), texts.size());
    EXPECT_EQ(packed.empty(), texts.empty());
    EXPECT_EQ(read(packed), texts);
  }
}

TEST(PackedTexts, stay_where_they_are_when_they_are_moved) {
  PackedTexts one(std::vector<std::string>{"src/", "docs/"});
  const std::string_view first = *one.begin();
  const PackedTexts other = std::move(one);
  EXPECT_EQ((*other.begin()).data(), first.data());
  EXPECT_EQ(read(other), (std::vector<std::string>{"src/", "docs/"}));
}

}  // namespace
}  // namespace parley::base
