// Moved in time, and otherwise the same bytes.
#include "cli/fresh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/validate.hpp"

namespace parley::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string handoff = R"({ "id": "5d1b2a77-9c34-4b1a-8f02-6de1f0c4ab11", "timestamp": "2026-03-02T08:33:09Z",
  "from": "extractor-2", "to": "extractor-1", "type": "TASK_COMPLETE",
  "payload": {"task_id": "t \"2026-03-02\"", "result": {"until": "2026-03-02T09:33:09Z"}},
  "metadata": {"priority": "normal", "retry_count": 0, "max_retries": 3}})";

TEST(Fresh, times_keep_what_lies_between_them_and_the_id_is_new) {
  const auto now = base::parse_rfc3339("2030-01-01T00:00:00Z").value();
  const auto moved = freshened(handoff, "handoff", now, "dice");
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_THAT(*moved, HasSubstr(R"("timestamp": "2030-01-01T00:00:00Z")"));
  EXPECT_THAT(*moved, HasSubstr(R"("until": "2030-01-01T01:00:00Z")"));
  EXPECT_THAT(*moved, HasSubstr(R"("t \"2026-03-02\"")"));
  EXPECT_THAT(*moved, Not(HasSubstr("5d1b2a77")));
  EXPECT_EQ(moved->size(), handoff.size());
  EXPECT_NE(freshened(handoff, "handoff", now, "other dice").value(), *moved);
  const auto judged = assess(*moved, "handoff");
  ASSERT_TRUE(judged);
  EXPECT_FALSE(judged->strict) << judged->strict->message;
}

TEST(Fresh, what_is_no_message_is_refused) {
  EXPECT_FALSE(freshened("{}", "", {}, ""));
  const auto no_json = freshened("[", "collab", {}, "");
  ASSERT_FALSE(no_json);
  EXPECT_THAT(std::string(no_json.error().hint_text()), Not(HasSubstr("GET /v1/limits"))) << "nobody to ask";
}

}  // namespace
}  // namespace parley::cli
