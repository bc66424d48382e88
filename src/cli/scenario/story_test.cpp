// The stories that the program carries are sound before anybody tells them.
#include "cli/scenario/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.hpp"
#include "cli/scenario/letter.hpp"
#include "cli/validate.hpp"
#include "profile/embedded.hpp"
#include "schema/program.hpp"

namespace parley::cli::scenario {
namespace {

std::string_view embedded(std::string_view path) {
  const auto files = profile::embedded_files();
  const auto file = std::ranges::find(files, path, &profile::EmbeddedFile::path);
  EXPECT_NE(file, files.end()) << path;
  return file->bytes;
}

TEST(Stories, Are_there_for_three_protocols) {
  EXPECT_EQ(Story::names(), (std::vector<std::string>{"collab", "handoff", "supervisor"}));
}

TEST(Stories, Have_the_form_that_their_schema_tells) {
  const auto schema = schema::compile(embedded("profiles/story.schema.json"));
  ASSERT_TRUE(schema) << schema.error().message;
  for (const auto& name : Story::names()) {
    const auto document = json::Document::parse(embedded("profiles/" + name + "/story.json"));
    ASSERT_TRUE(document) << name;
    for (const auto& problem : schema->explain(document->root()))
      ADD_FAILURE() << name << " " << problem.instance << ": " << problem.message;
  }
}

TEST(Stories, Say_only_what_their_protocols_take) {
  base::SystemClock clock;
  for (const auto& name : Story::names()) {
    const auto story = Story::named(name);
    ASSERT_TRUE(story) << story.error().message << " " << story.error().where;
    for (const Step& step : story->steps()) {
      if (step.is_decision() || step.from == "parley" || step.refused == "DIRECTION") continue;
      const auto native = letter(*story, step, {clock.wall(), 1});
      ASSERT_TRUE(native) << native.error().message << " " << step.name;
      const auto assessment = assess(*native, story->profile());
      ASSERT_TRUE(assessment) << step.name << ": " << assessment.error().message;
      EXPECT_FALSE(assessment->strict) << step.name << ": " << assessment->strict->message;
      EXPECT_EQ(assessment->type, step.type) << step.name;
      EXPECT_EQ(assessment->message_id, story->id_of(step.name));
    }
  }
}

constexpr std::string_view head = R"({"title": "t", "profile": "p", "id_at": "/id", "frame": {}, "ends": {},
  "cast": [{"agent_id": "ann", "agent_type": "a"}, {"agent_id": "ben", "agent_type": "b"},
           {"person_id": "eve", "roles": []}], "steps": [)";

std::string said_of(std::string_view steps) {
  const auto story = Story::read("s", std::string(head) + std::string(steps) + "]}");
  return story ? "sound" : story.error().message;
}

TEST(Stories, With_names_that_do_not_fit_each_other_are_refused) {
  EXPECT_EQ(said_of(R"({"step": "x", "from": "ann", "to": "ben", "type": "t"})"), "sound");
  EXPECT_EQ(said_of(R"({"step": "x", "from": "eva", "to": "ben", "type": "t"})"), "nobody is eva");
  EXPECT_EQ(said_of(R"({"step": "x", "from": "ann", "to": "eve", "type": "t"})"), "no agent is eve");
  EXPECT_EQ(said_of(R"({"step": "x", "from": "ann", "to": "ben"})"), "a message has a type and somebody it is for");
  EXPECT_EQ(said_of(R"({"step": "x", "from": "eve", "decides": "y"})"), "nothing asked y before");
  EXPECT_EQ(said_of(R"({"step": "x", "from": "ann", "to": "ben", "type": "t"},
                       {"step": "x", "from": "ben", "to": "ann", "type": "t"})"),
            "a step's name is its own");
}

}  // namespace
}  // namespace parley::cli::scenario
