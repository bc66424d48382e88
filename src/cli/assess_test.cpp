// Offline validation says what the server would.
#include <gtest/gtest.h>

#include "cli/validate.hpp"
#include "profile/files.hpp"

namespace parley::cli {
namespace {

TEST(Assessment, every_example_of_every_profile_is_recognised_and_accepted) {
  std::size_t examples = 0;
  for (const auto& profile : profile::built_in_names())
    for (const auto& [path, bytes] : profile::built_in_files(profile)) {
      const bool is_message =
          path.starts_with("examples/") && path != "examples/agents.json" && path.find('/', 9) == path.npos;
      if (!is_message) continue;
      ++examples;
      const auto assessment = assess(bytes, "");
      ASSERT_TRUE(assessment) << path << ": " << assessment.error().message;
      EXPECT_EQ(assessment->profile, profile) << path;
      EXPECT_FALSE(assessment->strict) << path << ": " << assessment->strict->message;
      EXPECT_FALSE(assessment->lenient) << path;
    }
  EXPECT_GE(examples, 50u);
}

std::string example(std::string_view name) {
  return profile::built_in_files("collab").at("examples/" + std::string(name));
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
  const auto at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), instead);
}

TEST(Assessment, a_defect_of_the_schema_is_refused_strictly_and_taken_leniently) {
  const auto assessment = assess(with(example("task_assignment.json"), "\"high\"", "\"urgent\""), "");
  ASSERT_TRUE(assessment);
  ASSERT_TRUE(assessment->strict);
  EXPECT_EQ(assessment->strict->code, base::ErrorCode::SCHEMA);
  ASSERT_FALSE(assessment->strict->details.empty());
  EXPECT_EQ(assessment->strict->details[0].instance, "/payload/priority");
  EXPECT_FALSE(assessment->lenient);
}

TEST(Assessment, a_message_that_cannot_be_routed_is_refused_leniently_too) {
  const auto assessment =
      assess(with(example("task_assignment.json"), "\"agent_id\": \"developer-01\"", "\"agent_id\": 7"), "");
  ASSERT_TRUE(assessment);
  EXPECT_TRUE(assessment->strict);
  EXPECT_TRUE(assessment->lenient);
}

TEST(Assessment, what_is_no_object_is_told_to_be_none) {
  for (const char* bytes : {"1", "null", "\"x\"", "[[]]", "true"})
    for (const char* profile : {"", "mesh"}) {
      const auto refused = assess(bytes, profile);
      ASSERT_FALSE(refused) << bytes;
      EXPECT_EQ(refused.error().code, base::ErrorCode::BAD_REQUEST) << bytes;
      EXPECT_NE(refused.error().message.find("no JSON object"), std::string::npos) << refused.error().message;
    }
}

TEST(Assessment, what_is_no_message_of_any_profile_is_told_apart) {
  const auto none = assess(R"({"type": "greeting"})", "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, base::ErrorCode::TYPE_UNKNOWN);
  EXPECT_EQ(none.error().legal_next, profile::built_in_names());
  EXPECT_EQ(assess("{", "").error().code, base::ErrorCode::BAD_JSON);
  EXPECT_EQ(assess("{}", "nonesuch").error().code, base::ErrorCode::PROFILE_UNKNOWN);
}

}  // namespace
}  // namespace parley::cli
