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

TEST(BenchWork, what_is_refused_as_a_whole_is_counted) {
  Bench bench;
  bench.work.take(task(0, 1));
  const auto batch = bench.work.next(at);
  bench.work.take_outcomes(batch->sheet, {}, base::fail(base::ErrorCode::OVERLOADED, "full").error(), at, bench.tally);
  EXPECT_EQ(bench.tally.held_back, 1u);
  EXPECT_FALSE(bench.work.next(at));
}

}  // namespace
}  // namespace parley::cli::bench
