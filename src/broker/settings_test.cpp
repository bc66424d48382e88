#include "broker/settings.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::broker {
namespace {

std::string shown(const engine::Settings& settings) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  write_settings(writer, settings);
  writer.end_object();
  return text;
}

base::Result<engine::Settings> read(std::string_view body) {
  return read_settings(json::Document::parse(body)->root(), {});
}

// None as it is by itself: one that is not read is shown otherwise, and one that is not shown is missing.
TEST(Settings, AreShownAsTheyWereSet) {
  const std::string body =
      R"({"validation":"lenient","profiles":["collab"],"settings":{"mailbox_messages":11,"mailbox_bytes":12000,)"
      R"("recipients":13,"remembered_ids":14,"remembered_for":"45s","lease":"46s","sequence_back":"refuse",)"
      R"("rate_messages":15,"rate_window":"47s","kept_records":16,"open_requests":17,"tasks":18,)"
      R"("task_progress_after":"48s","task_progress_every":"49s","task_silence":"50s","review_timeout":"51s",)"
      R"("review_escalation":"abort","unsigned_checks":"missing","auto_revision":true,"approvals":19,)"
      R"("heartbeat_every":"52s","heartbeats_missed":20,)"
      R"("breaker":{"error_threshold":21,"timeout_ms":22,"reset_timeout_ms":23},"loop_hops":24,"loop_rounds":25,)"
      R"("loop_messages":26,"enabled_chains":["gold"],"risk_thresholds":{"low":0.25,"high":0.5},)"
      R"("budget_limits":{"per_task":1.5,"per_agent":2.5,"total":3.5}}})";
  const auto settings = read(body);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(shown(*settings), body);
}

TEST(Settings, AreTheSameReadAgain) {
  const engine::Settings defaults;
  EXPECT_EQ(read(shown(defaults)).value(), defaults);
}

TEST(Settings, StayAsTheyWereWhereTheBodySaysNothing) {
  engine::Settings before;
  before.rate_messages = 5;
  before.reviews.escalation = engine::Escalation::abort;
  EXPECT_EQ(read_settings(json::Document::parse(R"({"settings":{}})")->root(), before).value(), before);
}

TEST(Settings, RefuseATimeOutOfItsBounds) {
  EXPECT_EQ(read(R"({"settings":{"lease":"1ms"}})").error().where, "/settings/lease");
  EXPECT_EQ(read(R"({"settings":{"rate_window":"0s"}})").error().where, "/settings/rate_window");
}

}  // namespace
}  // namespace parley::broker
