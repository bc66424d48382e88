// The named checks, each on its own.
#include "profile/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::profile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Where the check finds something.
std::vector<std::string> places(std::string_view check, std::string_view parameters, std::string_view message) {
  const auto stated = json::Document::parse(parameters), document = json::Document::parse(message);
  const auto bound = bind_check(check, stated->root());
  EXPECT_TRUE(bound.has_value());
  std::vector<base::Problem> problems;
  bound->check->run(document->root(), problems);
  std::vector<std::string> found;
  for (const base::Problem& problem : problems) found.push_back(problem.instance);
  return found;
}

std::string refused(std::string_view check, std::string_view parameters) {
  const auto stated = json::Document::parse(parameters);
  const auto bound = bind_check(check, stated->root());
  return bound ? "accepted" : bound.error().where;
}

TEST(Checks, SameValueComparesThePlacesThatAreThere) {
  constexpr std::string_view at = R"({"at": ["/a", "/b/c", "/d"]})";
  EXPECT_THAT(places("same_value", at, R"({"a": 1, "b": {"c": 1.0}, "d": 1})"), IsEmpty());
  EXPECT_THAT(places("same_value", at, R"({"a": 1, "b": {"c": 2}, "d": "1"})"), ElementsAre("/b/c", "/d"));
  EXPECT_THAT(places("same_value", at, R"({"a": 1})"), IsEmpty());
  EXPECT_THAT(places("same_value", at, R"({"d": 1})"), IsEmpty());
  EXPECT_EQ(refused("same_value", R"({"at": ["/a"]})"), "/parameters/at");
  EXPECT_EQ(refused("same_value", R"({"at": ["/a", "b"]})"), "/parameters/at");
}

TEST(Checks, RefusedValueRefusesThatValueOrAny) {
  EXPECT_THAT(places("refused_value", R"({"at": "/a", "value": true})", R"({"a": true})"), ElementsAre("/a"));
  EXPECT_THAT(places("refused_value", R"({"at": "/a", "value": true})", R"({"a": "true"})"), IsEmpty());
  EXPECT_THAT(places("refused_value", R"({"at": "/a", "value": true})", R"({})"), IsEmpty());
  EXPECT_THAT(places("refused_value", R"({"at": "/a"})", R"({"a": null})"), ElementsAre("/a"));
  EXPECT_EQ(refused("refused_value", R"({"value": true})"), "/parameters/at");
}

TEST(Checks, StringSizeLooksAtEveryStringBelow) {
  constexpr std::string_view four = R"({"at": "/a", "max_bytes": 4})";
  EXPECT_THAT(places("string_size", four, R"({"a": {"b": ["1234", "12345"], "c": "ééé"}, "d": "12345"})"),
              ElementsAre("/a/b/1", "/a/c"));
  EXPECT_THAT(places("string_size", four, R"({"a": "1234"})"), IsEmpty());
  EXPECT_EQ(refused("string_size", R"({"at": "/a"})"), "/parameters");
}

TEST(Checks, AnUnknownNameIsRefused) {
  EXPECT_EQ(refused("no_such_check", "{}"), "/check");
}

}  // namespace
}  // namespace parley::profile
