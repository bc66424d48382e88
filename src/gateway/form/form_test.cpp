#include "gateway/form/form.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::gateway::form {
namespace {

base::Result<std::optional<base::Duration>> lease_in(std::string_view body) {
  const auto document = json::Document::parse(body).value();
  return duration_member(document.root(), "lease");
}

TEST(Form, Reads_durations_and_says_where_one_is_wrong) {
  EXPECT_EQ(lease_in("{}").value(), std::nullopt);
  EXPECT_EQ(lease_in(R"({"lease": "30s"})").value(), std::chrono::seconds(30));
  EXPECT_EQ(lease_in(R"({"lease": "36500d"})").value(), std::chrono::days(36'500));
  for (const std::string_view bad : {R"("36501d")", R"("9223372036854775807us")", R"("99999999999999999999s")",
                                     R"("-1s")", R"("30")", R"("")", "30", "null"}) {
    const auto refused = lease_in(R"({"lease": )" + std::string(bad) + '}');
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, base::ErrorCode::BAD_REQUEST);
    EXPECT_EQ(refused.error().where, "/lease");
  }
}

TEST(Form, Reads_no_lease_as_that_of_the_workspace_and_none_of_no_time) {
  const auto read = [](std::string_view body) { return lease_member(json::Document::parse(body)->root()); };
  EXPECT_EQ(read("{}").value(), base::Duration{});
  EXPECT_EQ(read(R"({"lease":"5s"})").value(), std::chrono::seconds(5));
  EXPECT_EQ(read(R"({"lease":"0s"})").error().where, "/lease");
}

TEST(Form, Writes_an_error_with_all_it_has_to_say) {
  base::Error error{base::ErrorCode::DIRECTION, "a \"x\" may not", {}, "sender", {"feedback"}, {{"/a", "/b", "c"}}};
  EXPECT_EQ(error_body(error), R"({"error":{"code":"DIRECTION","message":"a \"x\" may not","hint":")" +
                                   std::string(error.hint_text()) +
                                   R"(","where":"sender","legal_next":["feedback"],)"
                                   R"("details":[{"instance":"/a","schema":"/b","message":"c"}]}})");
  EXPECT_EQ(error_body({base::ErrorCode::NOT_FOUND, "m", "h", {}, {}, {}}),
            R"({"error":{"code":"NOT_FOUND","message":"m","hint":"h","where":"","details":[]}})");
}

// R4: the bytes as they came, white space and all. R31: what the server itself says is marked, message or notice.
TEST(Form, Writes_deliveries_around_the_native_bytes) {
  broker::Delivery delivery;
  delivery.delivery_id = "17-1";
  delivery.offset = base::Offset(17);
  delivery.lease_until = base::instant_of(1'000'000);
  delivery.message = "{ \"a\" :\n1.0 }";
  delivery.profile = "collab";
  delivery.task_epoch = 2;
  std::string text;
  append_deliveries(text, {&delivery, 1});
  EXPECT_EQ(
      text,
      R"({"delivery_id":"17-1","offset":17,"attempt":1,"lease_until":"1970-01-01T00:00:01Z","priority":"normal","task_epoch":2,)"
      "\"profile\":\"collab\",\"message\":{ \"a\" :\n1.0 },\"warnings\":[]}");
  delivery.by_server = true;
  delivery.task_epoch = 0;  // of no task
  delivery.lease_until.reset();
  text.clear();
  append_deliveries(text, {&delivery, 1});
  EXPECT_EQ(text, R"({"delivery_id":"17-1","offset":17,"attempt":1,"priority":"normal","origin":"server",)"
                  "\"profile\":\"collab\",\"message\":{ \"a\" :\n1.0 },\"warnings\":[]}");
  delivery.notice = true;
  text.clear();
  append_deliveries(text, {&delivery, 1});
  EXPECT_EQ(text, R"({"delivery_id":"17-1","offset":17,"attempt":1,"priority":"normal","origin":"server",)"
                  "\"notice\":{ \"a\" :\n1.0 },\"warnings\":[]}");
}

TEST(Form, Writes_what_became_of_a_message) {
  std::string text;
  json::Writer writer(text);
  write_sent(writer, broker::Sent{"m-1", base::Offset(7), true, {}});
  EXPECT_EQ(text, R"({"message_id":"m-1","offset":7,"status":"duplicate","warnings":[]})");
}

}  // namespace
}  // namespace parley::gateway::form
