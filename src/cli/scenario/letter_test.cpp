#include "cli/scenario/letter.hpp"

#include <gtest/gtest.h>

namespace parley::cli::scenario {
namespace {

base::Result<Story> story_of(std::string_view frame, std::string_view message) {
  return Story::read("s", R"({"title": "t", "profile": "p", "id_at": "/id", "ends": {}, "frame": )" +
                              std::string(frame) + R"(, "cast": [{"agent_id": "ann", "agent_type": "boss"},
                              {"agent_id": "ben", "agent_type": "smith"}], "steps": [{"step": "x", "from": "ann",
                              "to": "ben", "type": "order", "message": )" +
                              std::string(message) + "}]}");
}

std::string letter_of(std::string_view frame, std::string_view message) {
  const auto story = story_of(frame, message);
  const auto at = base::parse_rfc3339("2026-02-03T09:00:00Z");
  const auto text = letter(*story, story->steps().front(), {*at, 7});
  return text ? *text : text.error().message;
}

TEST(Letters, Are_the_frame_with_the_steps_own_members_over_it) {
  EXPECT_EQ(letter_of(R"({"a": 1, "b": {"c": 2, "d": 3}})", R"({"b": {"d": null, "e": [4]}, "f": "5"})"),
            R"({"a":1,"b":{"c":2,"d":null,"e":[4]},"f":"5"})");
}

TEST(Letters, Have_what_stands_in_braces_filled_in) {
  EXPECT_EQ(letter_of(R"({"t": "{type}", "f": "{from} the {from.type}", "to": ["{to}", "{to.type}"]})", "{}"),
            R"({"t":"order","f":"ann the boss","to":["ben","smith"]})");
  EXPECT_EQ(letter_of(R"({"n": "{number}", "at": "{now}", "by": "{now+90s}"})", "{}"),
            R"({"n":7,"at":"2026-02-03T09:00:00Z","by":"2026-02-03T09:01:30Z"})");
  EXPECT_EQ(letter_of(R"({"id": "{id}"})", "{}"), letter_of(R"({"id": "{id of x}"})", "{}"));
}

TEST(Letters, With_a_word_that_means_nothing_are_none) {
  EXPECT_EQ(letter_of(R"({"id": "{id of y}"})", "{}"), "nothing is called {id of y}");
  EXPECT_EQ(letter_of(R"({"id": "an {open brace"})", "{}"), R"({"id":"an {open brace"})");
}

TEST(Patterns, Are_found_in_what_has_all_of_them) {
  const auto like = [](std::string_view value, std::string_view pattern) {
    const auto a = json::Document::parse(value), b = json::Document::parse(pattern);
    return is_like(a->root(), b->root());
  };
  EXPECT_TRUE(like(R"({"a": {"b": 1, "c": 2}, "d": 3})", R"({"a": {"b": 1}})"));
  EXPECT_FALSE(like(R"({"a": {"b": 2}})", R"({"a": {"b": 1}})"));
  EXPECT_FALSE(like(R"({"d": 3})", R"({"a": {"b": 1}})"));
  EXPECT_FALSE(like(R"({"a": [1, 2]})", R"({"a": [1]})"));
}

}  // namespace
}  // namespace parley::cli::scenario
