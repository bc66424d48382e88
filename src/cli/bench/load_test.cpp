// A paced schedule does not know what the server does: that is what keeps its latencies honest.
#include "cli/bench/load.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::cli::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BenchSchedule, unpaced_all_there_is_room_for_is_due_until_the_end) {
  Schedule schedule(0, seconds(10), UINT64_MAX);
  EXPECT_EQ(schedule.due(Duration(0), 256), 256u);
  EXPECT_EQ(schedule.due(seconds(10) - Duration(1), 256), 256u);
  EXPECT_EQ(schedule.due(seconds(10), 256), 0u);
  EXPECT_TRUE(schedule.over(seconds(10)));
}

TEST(BenchSchedule, paced_messages_are_due_at_their_own_times) {
  Schedule schedule(1000, seconds(1), UINT64_MAX);
  EXPECT_EQ(schedule.due(Duration(0), 256), 1u);
  schedule.add_sent(1);
  EXPECT_EQ(schedule.due(Duration(999), 256), 0u);
  EXPECT_EQ(schedule.next(Duration(0)), milliseconds(1));
  EXPECT_EQ(schedule.due(milliseconds(1), 256), 1u);
}

TEST(BenchSchedule, what_a_stall_held_up_is_due_at_once_and_late) {
  Schedule schedule(1000, seconds(1), UINT64_MAX);
  EXPECT_EQ(schedule.due(milliseconds(100), 256), 101u);
  EXPECT_EQ(schedule.due_at(0, milliseconds(100)), Duration(0)) << "its latency counts from when it was due";
  EXPECT_EQ(schedule.due_at(50, milliseconds(100)), milliseconds(50));
}

TEST(BenchSchedule, a_paced_run_sends_rate_times_duration_however_late) {
  Schedule schedule(1000, seconds(1), UINT64_MAX);
  std::size_t sent = 0;
  for (Duration now{}; now < seconds(5); now += milliseconds(7)) {
    const auto count = schedule.due(now, 3);
    schedule.add_sent(count);
    sent += count;
  }
  EXPECT_EQ(sent, 1000u);
  EXPECT_TRUE(schedule.over(seconds(5)));
}

TEST(BenchSchedule, a_count_ends_it_too) {
  Schedule schedule(0, Duration::max(), 300);
  EXPECT_EQ(schedule.due(Duration(0), 256), 256u);
  schedule.add_sent(256);
  EXPECT_EQ(schedule.due(Duration(0), 256), 44u);
  schedule.add_sent(44);
  EXPECT_TRUE(schedule.over(Duration(0)));
}

TEST(BenchNumbers, tell_producer_and_stage_apart) {
  const std::uint64_t task = number_of(9'999, 123);
  for (const Stage stage : {Stage::assigned, Stage::acknowledged, Stage::completed}) {
    EXPECT_EQ(producer_of(number_of(task, stage)), 9'999u);
    EXPECT_EQ(stage_of(number_of(task, stage)), stage);
  }
  EXPECT_EQ(number_of(task, Stage::assigned), task);
}

TEST(BenchTally, outcomes_are_told_apart) {
  const auto accepted = json::Document::parse(R"({"message_id": "a", "offset": 1, "status": "accepted"})");
  const auto duplicate = json::Document::parse(R"({"message_id": "a", "offset": 1, "status": "duplicate"})");
  const auto refused = json::Document::parse(R"({"error": {"code": "SCHEMA", "message": "wrong"}})");
  const auto held_back = json::Document::parse(R"({"error": {"code": "OVERLOADED", "message": "later"}})");
  Tally tally;
  EXPECT_TRUE(tally.take_outcome(accepted->root(), 1, Duration(10)));
  EXPECT_TRUE(tally.take_outcome(duplicate->root(), 2, Duration(10)));
  EXPECT_FALSE(tally.take_outcome(refused->root(), 3, Duration(10)));
  EXPECT_FALSE(tally.take_outcome(held_back->root(), 4, Duration(10)));
  EXPECT_EQ(tally.accepted, 2u);
  EXPECT_EQ(tally.duplicates, 1u);
  EXPECT_EQ(tally.refused, 1u);
  EXPECT_EQ(tally.held_back, 1u);
  EXPECT_EQ(tally.accepted_sum, hash_of(1) + hash_of(2));
  ASSERT_TRUE(tally.first_refusal);
  EXPECT_EQ(tally.first_refusal->code, base::ErrorCode::SCHEMA);
  EXPECT_EQ(tally.ack_latency.count(), 2u);
}

}  // namespace
}  // namespace parley::cli::bench
