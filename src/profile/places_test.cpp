#include "profile/places.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "json/parser.hpp"

namespace parley::profile {
namespace {

std::vector<std::string> read(const Places& places, std::string_view text) {
  const auto document = json::Document::parse(text);
  std::vector<json::Value> found(places.size());
  places.read(document->root(), found);
  std::vector<std::string> texts;
  for (const json::Value value : found) texts.emplace_back(value.if_string().value_or("-"));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Places, EveryPlaceIsFoundInOneWalkWhateverTheOrderOfMembers) {
  Places places;
  EXPECT_EQ(places.add("/a/b"), 0);
  EXPECT_EQ(places.add("/c"), 1);
  EXPECT_EQ(places.add("/a/d/e"), 2);
  EXPECT_EQ(places.add("/a/b"), 0);  // the same place again
  EXPECT_EQ(read(places, R"({"x": "0", "c": "1", "a": {"d": {"e": "2"}, "b": "3"}})"), (Texts{"3", "1", "2"}));
}

TEST(Places, APlaceThatLeadsThroughSomethingElseThanAnObjectIsAbsent) {
  Places places;
  places.add("/a/b");
  places.add("/a");
  EXPECT_EQ(read(places, R"({"a": "1"})"), (Texts{"-", "1"}));
  EXPECT_EQ(read(places, R"({"a": [{"b": "1"}]})"), (Texts{"-", "-"}));
  EXPECT_EQ(read(places, "[]"), (Texts{"-", "-"}));
  EXPECT_EQ(read(places, "1"), (Texts{"-", "-"}));
}

TEST(Places, EscapesOfPointersAreUndone) {
  Places places;
  places.add("/a~1b/m~0n");
  places.add("/~01");
  EXPECT_EQ(read(places, R"({"a/b": {"m~n": "1"}, "~1": "2"})"), (Texts{"1", "2"}));
}

TEST(Places, LongKeysAreToldApart) {
  Places places;
  const std::string first(70, 'x'), second = first + 'y';
  places.add('/' + second);
  EXPECT_EQ(read(places, R"({")" + first + R"(": "1", ")" + second + R"(": "2"})"), (Texts{"2"}));
}

}  // namespace
}  // namespace parley::profile
