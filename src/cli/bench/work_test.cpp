// A developer says of each task what is due, once; a completion only of what was accepted.
#include "cli/bench/work.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::cli::bench {
namespace {

constexpr Duration at{5};

Task task(std::uint32_t architect, std::uint64_t index) {
  return {.mark = {.number = number_of(architect, index), .due_us = 1}, .order = {}};
}

json::Document outcomes(std::string_view text) {
  return json::Document::parse(text).value();
}

struct Bench {
  Settings settings{.contents = Contents::work, .batch = 2};
  Work work{"developer", {"architect-1", "architect-2"}, settings};
  Tally tally;
};

TEST(BenchWork, acknowledges_in_frames_of_a_batch_to_each_architect) {
  Bench bench;
  for (const auto& one : {task(0, 1), task(1, 1), task(0, 2), task(0, 3)}) bench.work.take(one);
  std::vector<std::pair<std::size_t, std::size_t>> said;  // to whom, how many
  while (const auto batch = bench.work.next(at)) {
    EXPECT_EQ(batch->sheet.stage, Stage::acknowledged);
    EXPECT_EQ(batch->messages.size(), batch->sheet.tasks.size());
    said.emplace_back(batch->sheet.architect, batch->messages.size());
  }
  EXPECT_EQ(said, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {0, 1}, {1, 1}}));
}

TEST(BenchWork, completes_what_was_accepted) {
  Bench bench;
  bench.work.take(task(1, 1));
  bench.work.take(task(1, 2));
  const auto acknowledged = bench.work.next(at);
  ASSERT_TRUE(acknowledged);
  EXPECT_FALSE(bench.work.next(at)) << "nothing is completed before";
  const auto answer = outcomes(R"([{"error": {"code": "SCHEMA", "message": "wrong"}}, {"status": "accepted"}])");
  bench.work.take_outcomes(acknowledged->sheet, answer.root(), std::nullopt, at, bench.tally);
  EXPECT_EQ(bench.tally.refused, 1u);
  const auto completed = bench.work.next(at);
  ASSERT_TRUE(completed);
  EXPECT_EQ(completed->sheet.stage, Stage::completed);
  ASSERT_EQ(completed->sheet.tasks.size(), 1u);
  EXPECT_EQ(completed->sheet.tasks[0].mark.number, number_of(1, 2));
  const auto last = outcomes(R"([{"status": "accepted"}])");
  bench.work.take_outcomes(completed->sheet, last.root(), std::nullopt, at, bench.tally);
  EXPECT_FALSE(bench.work.next(at));
  EXPECT_EQ(bench.tally.accepted, 2u);
  EXPECT_EQ(bench.tally.accepted_sum, hash_of(number_of(number_of(1, 2), Stage::acknowledged)) +
                                          hash_of(number_of(number_of(1, 2), Stage::completed)));
}

TEST(BenchWork, says_again_what_there_was_no_room_for) {
  Bench bench;
  bench.work.take(task(0, 1));
  bench.work.take(task(0, 2));
  const auto batch = bench.work.next(at);
  ASSERT_TRUE(batch);
  const auto answer =
      outcomes(R"([{"status": "accepted"}, {"error": {"code": "MAILBOX_FULL", "message": "full"}}, {}])");
  bench.work.take_outcomes(batch->sheet, answer.root(), std::nullopt, at, bench.tally);
  const auto completed = bench.work.next(at), again = bench.work.next(at);
  ASSERT_TRUE(completed && again);
  EXPECT_EQ(completed->sheet.stage, Stage::completed);
  EXPECT_EQ(completed->sheet.tasks[0].mark.number, number_of(0, 1));
  EXPECT_EQ(again->sheet.stage, Stage::acknowledged);
  EXPECT_EQ(again->sheet.tasks[0].mark.number, number_of(0, 2));
}

TEST(BenchWork, a_frame_that_is_held_back_is_said_again_and_one_that_is_refused_is_not) {
  Bench bench;
  bench.work.take(task(0, 1));
  auto batch = bench.work.next(at);
  ASSERT_TRUE(batch);
  bench.work.take_outcomes(batch->sheet, {}, base::fail(base::ErrorCode::OVERLOADED, "full").error(), at, bench.tally);
  EXPECT_EQ(bench.tally.held_back, 1u);
  EXPECT_FALSE(bench.work.all_said()) << "it is said again";
  batch = bench.work.next(at);
  ASSERT_TRUE(batch);
  bench.work.take_outcomes(batch->sheet, {}, base::fail(base::ErrorCode::SCHEMA, "wrong").error(), at, bench.tally);
  EXPECT_EQ(bench.tally.refused, 1u);
  EXPECT_TRUE(bench.work.all_said());
}

}  // namespace
}  // namespace parley::cli::bench
