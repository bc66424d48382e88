// The server's error is told whole, whatever this version knows of it.
#include "sdk/cpp/error_text.hpp"

#include <gtest/gtest.h>

#include "base/result.hpp"

namespace parley::sdk {
namespace {

using base::ErrorCode;

TEST(ErrorText, every_code_of_the_catalogue_is_found_by_its_name) {
  for (std::size_t i = 0; i < base::error_infos.size(); ++i)
    EXPECT_EQ(code_named(base::error_infos[i].name), static_cast<ErrorCode>(i));
  EXPECT_EQ(code_named("NO_SUCH_CODE"), std::nullopt);
  EXPECT_EQ(code_named(""), std::nullopt);
}

TEST(ErrorText, an_error_survives_being_written_and_read) {
  const base::Error error{ErrorCode::SCHEMA, "The message is no task_assignment.",
                          "Mend it.",        "/payload",
                          {"task_progress"}, {{"/payload/priority", "/properties/priority/enum", "found \"urgent\""}}};
  const auto read = error_of(422, to_json(error));
  EXPECT_EQ(read.code, ErrorCode::SCHEMA);
  EXPECT_EQ(read.message, error.message);
  EXPECT_EQ(read.hint, "Mend it.");
  EXPECT_EQ(read.where, "/payload");
  EXPECT_EQ(read.legal_next, error.legal_next);
  ASSERT_EQ(read.details.size(), 1u);
  EXPECT_EQ(read.details[0].instance, "/payload/priority");
  EXPECT_EQ(read.details[0].message, "found \"urgent\"");
}

TEST(ErrorText, when_to_try_again_survives_being_written_and_read) {
  auto error = base::fail(ErrorCode::RATE_LIMITED, "too many").error();
  error.retry_after = std::chrono::milliseconds(1500);
  EXPECT_EQ(error_of(429, to_json(error)).retry_after, error.retry_after);
  EXPECT_EQ(error_of(429, R"({"error": {"code": "RATE_LIMITED", "retry_after": "soon"}})").retry_after.count(), 0);
}

TEST(ErrorText, no_status_of_the_catalogue_is_taken_for_a_failure_of_the_server) {
  for (const auto& info : base::error_infos) {
    const auto error = error_of(info.http_status, R"({"error": {"code": "NEWER", "message": "m"}})");
    EXPECT_EQ(error.code == ErrorCode::INTERNAL, info.http_status == 500) << info.http_status;
    EXPECT_EQ(base::info(error.code).http_status / 100, info.http_status / 100) << info.http_status;
  }
}

TEST(ErrorText, a_code_of_a_newer_server_keeps_its_name_and_its_status) {
  const auto error = error_of(409, R"({"error": {"code": "ORBIT_TAKEN", "message": "It is taken."}})");
  EXPECT_EQ(error.code, ErrorCode::CONFLICT);
  EXPECT_EQ(error.message, "ORBIT_TAKEN: It is taken.");
}

TEST(ErrorText, an_answer_of_something_else_is_no_error_of_ours) {
  for (const char* body : {"", "<html>", "{}", R"({"error": "text"})", "[1]"}) {
    const auto error = error_of(404, body);
    EXPECT_EQ(error.code, ErrorCode::NOT_FOUND) << body;
    EXPECT_NE(error.hint.find("Parley"), std::string::npos);
  }
}

TEST(ErrorText, a_proxy_whose_server_is_away_is_no_answer_of_the_server) {
  for (const int status : {502, 503, 504})
    for (const char* body : {"", "<html>502 Bad Gateway</html>", R"({"message": "no upstream"})"}) {
      const auto error = error_of(status, body);
      EXPECT_EQ(error.code, ErrorCode::UNREACHABLE) << status << body;
      EXPECT_NE(error.message.find(std::to_string(status)), std::string::npos) << error.message;
      EXPECT_NE(error.hint.find("proxy"), std::string::npos) << error.hint;
    }
  EXPECT_EQ(error_of(503, R"({"error": {"code": "SHUTTING_DOWN"}})").code, ErrorCode::SHUTTING_DOWN);
  EXPECT_EQ(error_of(503, R"({"status": "stuck", "loop_busy_ms": 7})").code, ErrorCode::OVERLOADED);
  EXPECT_EQ(error_of(500, "<html>").code, ErrorCode::INTERNAL);
}

TEST(ErrorText, only_what_had_no_answer_is_unreachable) {
  EXPECT_EQ(kind_of(base::fail(ErrorCode::UNREACHABLE, "").error()), Failure::unreachable);
  EXPECT_EQ(kind_of(base::fail(ErrorCode::OVERLOADED, "").error()), Failure::refused);
}

}  // namespace
}  // namespace parley::sdk
