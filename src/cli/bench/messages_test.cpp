// What the bench sends is what the server measures: real messages, each new, each of the size that was asked for.
#include "cli/bench/messages.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cli/validate.hpp"
#include "json/parser.hpp"

namespace parley::cli::bench {
namespace {

constexpr base::Instant now = base::instant_of(1'800'000'000'000'007);

void expect_valid(std::string_view message, std::string_view type) {
  const auto assessment = assess(std::string(message), "");
  ASSERT_TRUE(assessment) << assessment.error().message;
  EXPECT_EQ(assessment->profile, "collab");
  EXPECT_EQ(assessment->type, type);
  EXPECT_FALSE(assessment->strict) << assessment->strict->details.front().message;
  EXPECT_TRUE(assessment->warnings.empty());
}

TEST(BenchMessages, they_are_valid_collab_messages) {
  for (const auto& [text, type] :
       {std::pair(Text::assignment, "task_assignment"), std::pair(Text::remark, "feedback")}) {
    Messages messages(text, "bench-architect-1", "bench-developer-1", 1024, 8, 1);
    for (const auto message : messages.make(8, {.number = 5, .due_us = 100}, 2.5, now)) expect_valid(message, type);
  }
}

// What a developer says of tasks names them, and the orders for them, as their assignments do.
TEST(BenchMessages, answers_are_valid_and_about_their_tasks) {
  Messages assignments(Text::assignment, "bench-architect-1", "bench-developer-1", 1024, 3, 1);
  std::vector<Task> tasks;
  std::vector<std::string> ids, orders, scopes;
  MarkFinder marks;
  for (const auto message : assignments.make(3, {.number = 7, .due_us = 100}, 10, now)) {
    const auto assignment = json::Document::parse(message);
    ids.emplace_back(assignment->root().at_pointer("/payload/task/task_id").as_string());
    orders.emplace_back(assignment->root().at_pointer("/message_id").as_string());
    scopes.emplace_back(assignment->root().at_pointer("/payload/task/constraints/scope/0").as_string());
    Mark mark;
    ASSERT_TRUE(marks.find(message, mark));
    tasks.push_back(task_of(mark, message));
  }
  for (const std::size_t size : {1024u, 1031u, 5000u}) {
    Messages acknowledgments(Text::acknowledgment, "bench-developer-1", "bench-architect-1", size, 3, 2);
    Messages completions(Text::completion, "bench-developer-1", "bench-architect-1", size, 3, 3);
    const auto acknowledged = acknowledgments.reply(tasks, Stage::acknowledged, 500, now);
    const auto completed = completions.reply(tasks, Stage::completed, 600, now);
    for (std::size_t i = 0; i < 3; ++i) {
      expect_valid(acknowledged[i], "acknowledgment");
      expect_valid(completed[i], "task_completion");
      EXPECT_EQ(acknowledged[i].size(), size);
      EXPECT_EQ(completed[i].size(), size);
      const auto of_order = json::Document::parse(acknowledged[i]), of_task = json::Document::parse(completed[i]);
      EXPECT_EQ(of_order->root().at_pointer("/payload/acknowledged_message_id").as_string(), orders[i]);
      EXPECT_EQ(of_task->root().at_pointer("/payload/task_id").as_string(), ids[i]);
      const std::string file(of_task->root().at_pointer("/payload/changes/files_created/0/path").as_string());
      EXPECT_EQ(file.substr(0, scopes[i].size() - 2) + "**", scopes[i]) << "a file that the task may change";
      Mark mark;
      ASSERT_TRUE(marks.find(acknowledged[i], mark));
      EXPECT_EQ(stage_of(mark.number), Stage::acknowledged);
      EXPECT_EQ(mark.due_us, 500u);
      ASSERT_TRUE(marks.find(completed[i], mark));
      EXPECT_EQ(stage_of(mark.number), Stage::completed);
      EXPECT_EQ(mark.number, number_of(7 + i, Stage::completed));
    }
  }
}

TEST(BenchMessages, they_have_the_size_that_was_asked_for_or_the_least_there_is) {
  for (const Text text : {Text::assignment, Text::remark, Text::acknowledgment, Text::completion}) {
    for (const std::size_t size : {1024u, 1025u, 4096u, 65536u}) {
      Messages messages(text, "a", "b", size, 2, 1);
      EXPECT_EQ(messages.size(), size);
      EXPECT_EQ(messages.make(2, {}, 0, now)[1].size(), size);
    }
    EXPECT_EQ(Messages(text, "a", "b", 1, 1, 1).size(), smallest_message(text, "a", "b"));
    EXPECT_LE(smallest_message(text, "bench-architect-1", "bench-developer-1"), 1024u);
  }
}

TEST(BenchMessages, ids_are_fresh_version_4_uuids_and_marks_tell_number_and_time) {
  const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> ids;
  MarkFinder marks;  // of both kinds of messages: the place is not always the same
  for (const Text text : {Text::assignment, Text::remark}) {
    Messages messages(text, "a", "b", 1024, 100, text == Text::assignment ? 42 : 43);
    for (std::uint64_t first = 0; first < 1000; first += 100) {
      std::uint64_t number = first;
      for (const auto message : messages.make(100, {.number = first, .due_us = 1000 * first}, 1000, now)) {
        const auto document = json::Document::parse(message);
        ASSERT_TRUE(document);
        const std::string id(document->root().find("message_id").as_string());
        EXPECT_TRUE(std::regex_match(id, uuid)) << id;
        ids.insert(id);
        Mark mark;
        ASSERT_TRUE(marks.find(message, mark));
        EXPECT_EQ(mark.number, number);
        EXPECT_EQ(mark.due_us, 1000 * number);
        ++number;
      }
    }
  }
  EXPECT_EQ(ids.size(), 2000u);
}

TEST(BenchMessages, a_timestamp_of_a_whole_second_keeps_its_length) {
  Messages messages(Text::assignment, "a", "b", 1024, 1, 1);
  const auto message = messages.make(1, {}, 0, base::instant_of(1'800'000'000'000'000))[0];
  EXPECT_NE(message.find("\"2027-01-15T08:00:00.000000Z\""), message.npos) << message;
}

TEST(BenchMessages, texts_of_others_are_no_marks) {
  Mark mark;
  for (const char* text :
       {"", "task-1", "task-000000000000000g-0000000000000000", "tusk-0000000000000000-0000000000000000"})
    EXPECT_FALSE(read_mark(text, mark)) << text;
  const std::string real = "task-000000000000000a-000000000000000b";
  MarkFinder marks;
  EXPECT_FALSE(marks.find(R"({"a":"task-1"})", mark));
  EXPECT_TRUE(marks.find("{\"a\":\"task-1\",\"b\":\"" + real + "\"}", mark));
  EXPECT_EQ(mark.number, 10u);
  EXPECT_EQ(mark.due_us, 11u);
  EXPECT_FALSE(marks.find("{}", mark)) << "shorter than the place of the one before";
  EXPECT_TRUE(marks.find(real, mark));
}

}  // namespace
}  // namespace parley::cli::bench
