// What a run lacks is said by its counts.
#include "cli/bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace parley::cli::bench {
namespace {

using testing::EndsWith;

std::string told(const Settings& settings, const Tally& tally) {
  std::ostringstream out, err;
  const Terminal terminal{out, err};
  Outcome outcome;
  outcome.tally = tally;
  print(terminal, settings, outcome);
  return out.str();
}

TEST(BenchReport, says_what_an_incomplete_run_lacks) {
  Tally tally;
  tally.accepted = tally.acked = 10;
  tally.accepted_sum = tally.acked_sum = 7;
  EXPECT_THAT(told({}, tally), EndsWith("complete: every message accepted was delivered once and acked\n"));
  tally.acked = 8;
  tally.refused = 3;
  EXPECT_THAT(told({}, tally), EndsWith("NOT COMPLETE: 3 refused, 2 accepted and not acked\n"));
  tally.acked = 10;
  tally.refused = 0;
  tally.acked_sum = 8;
  EXPECT_THAT(told({}, tally), EndsWith("NOT COMPLETE: the messages acked are others than those accepted\n"));
  EXPECT_THAT(told({}, {}), EndsWith("NOT COMPLETE: nothing was accepted\n"));
}

TEST(BenchReport, says_that_nothing_happened_any_more) {
  std::ostringstream out, err;
  Outcome outcome;
  outcome.tally.accepted = outcome.tally.acked = 10;
  outcome.stalled = true;
  EXPECT_FALSE(outcome.complete({}));
  print(Terminal{out, err}, {}, outcome);
  EXPECT_THAT(out.str(), EndsWith("NOT COMPLETE: nothing happened any more for 15s\n"));
}

TEST(BenchReport, what_was_held_back_was_not_published) {
  Tally tally;
  tally.accepted = 10;
  const Settings settings{.publish_only = true};
  EXPECT_THAT(told(settings, tally), EndsWith("complete: every message sent was accepted, once\n"));
  tally.held_back = 4;
  EXPECT_THAT(told(settings, tally), EndsWith("NOT COMPLETE: 4 held back\n"));
}

}  // namespace
}  // namespace parley::cli::bench
