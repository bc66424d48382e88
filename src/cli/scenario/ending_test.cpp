// What two tellings may differ in, and what they may not.
#include "cli/scenario/ending.hpp"

#include <gtest/gtest.h>

#include "cli/scenario/plain.hpp"

namespace parley::cli::scenario {
namespace {

Story a_story(std::string_view ends = "{}") {
  return *Story::read("s", R"({"title": "t", "profile": "p", "id_at": "/id", "frame": {}, "ends": )" +
                               std::string(ends) + R"(, "cast": [{"agent_id": "ann", "agent_type": "boss"},
                               {"agent_id": "ben", "agent_type": "smith"}],
                               "steps": [{"step": "order", "from": "ann", "to": "ben", "type": "t"}]})");
}

Ending ending_of(const Story& story, std::string_view json) {
  Ending ending;
  Plain plain(story);
  plain.name_offset(17, story.id_of("order"));
  const auto document = json::Document::parse(json);
  plain.each("tasks/x", document->root(), [&](const std::string& path, std::string text) { ending[path] = text; });
  return ending;
}

TEST(Endings, Are_told_without_times_offsets_and_ids_that_the_server_made) {
  const Story story = a_story();
  const std::string id = story.id_of("order");
  EXPECT_EQ(ending_of(story, R"({"offset": 21, "assignments": [17, 18], "moved_at": "2026-02-03T09:00:00.5Z",
                                 "why": "since 2026-02-03T09:00:00Z, by )" +
                                 id + R"(",
                                 "by": "5d1b2a77-9c34-4b1a-8f02-6de1f0c4ab10", "late": false,
                                 "receipts": [{"state": "acked", "offers": 3, "attempts": 0}]})"),
            (Ending{{"tasks/x/assignments", R"(["{order}","{offset}"])"},
                    {"tasks/x/moved_at", R"("{time}")"},
                    {"tasks/x/why", R"("since {time}, by {order}")"},
                    {"tasks/x/by", R"("{uuid}")"},
                    {"tasks/x/late", "false"},
                    {"tasks/x/receipts/0/state", R"("acked")"},
                    {"tasks/x/receipts/0/attempts", "0"}}));
}

TEST(Endings, That_differ_say_where) {
  const Ending wanted{{"a", "1"}, {"b", "2"}, {"c", "3"}}, found{{"b", "2"}, {"c", "4"}, {"d", "5"}};
  EXPECT_EQ(differences(wanted, found),
            (std::vector<std::string>{"a: nothing, told was 1", "c: 4, told was 3", "d: 5, told was nothing"}));
  EXPECT_TRUE(differences(wanted, wanted).empty());
}

TEST(Endings, Are_not_as_told_where_what_is_named_stands_otherwise_or_a_message_was_not_got) {
  const Story story = a_story(R"({"tasks/x": {"state": "completed", "assignee": "ben"}})");
  const Ending good{{"tasks/x/state", R"("completed")"},
                    {"tasks/x/assignee", R"("ben")"},
                    {"tasks/x/epoch", "1"},
                    {"messages/{order}/delivery", R"("at_least_once")"},
                    {"messages/{order}/receipts/0/state", R"("acked")"}};
  EXPECT_TRUE(not_as_told(good, story).empty());
  Ending other = good;
  other["tasks/x/assignee"] = R"("ann")";
  EXPECT_EQ(not_as_told(other, story).size(), 1u);
  other = good;
  other.erase("tasks/x/state");
  EXPECT_EQ(not_as_told(other, story).size(), 1u);
  other = good;
  other["messages/{order}/receipts/0/state"] = R"("offered")";
  EXPECT_EQ(not_as_told(other, story).size(), 1u);
  other["messages/{order}/delivery"] = R"("at_most_once")";
  EXPECT_TRUE(not_as_told(other, story).empty());
}

TEST(Endings, Are_the_same_after_being_written_and_read) {
  const Ending ending{{"a/b", R"("{time}")"}, {"c", "[1,2]"}, {"words/x=\"y\"", "2"}};
  const auto document = json::Document::parse(to_json(ending));
  EXPECT_EQ(*read_ending(document->root()), ending);
  EXPECT_FALSE(read_ending({}));
}

}  // namespace
}  // namespace parley::cli::scenario
