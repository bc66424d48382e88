// An error is told so that the next move is clear, to a person and to a program.
#include "cli/errors.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "json/parser.hpp"

namespace parley::cli {
namespace {

base::Error schema_error() {
  return {base::ErrorCode::SCHEMA,
          "The message is no task_assignment.",
          "",
          "POST /v1/workspaces/demo/messages",
          {"task_progress", "task_completion"},
          {{"/payload/priority", "/properties/priority/enum", "found \"urgent\033[5m\""}}};
}

TEST(ErrorText, code_places_where_hint_and_legal_moves_in_this_order) {
  EXPECT_EQ(error_text(schema_error(), false),
            "refused: SCHEMA  The message is no task_assignment.\n"
            "  at     /payload/priority: found \"urgent\\u001b[5m\"  (/properties/priority/enum)\n"
            "  where  POST /v1/workspaces/demo/messages\n"
            "  hint   Mend each place in `details`.\n"
            "  next   task_progress, task_completion\n");
}

TEST(ErrorText, what_is_wrong_with_an_option_is_told_once_and_names_it) {
  const base::Problem detail{"/reply_by", "/properties/reply_by/format", "\"yesterday\" is no date-time"};
  const base::Error error{base::ErrorCode::BAD_REQUEST,
                          "sendMessages does not take these query parameters: " + detail.message,
                          "",
                          "?reply_by",
                          {},
                          {detail}};
  EXPECT_EQ(error_text(as_typed(error, "send"), false),
            "refused: BAD_REQUEST  \"yesterday\" is no date-time\n"
            "  where  --reply-by\n"
            "  hint   See `parley help send`.\n");
}

TEST(ErrorText, a_name_that_is_a_slip_away_is_told_alone) {
  base::Error error{base::ErrorCode::BAD_REQUEST, "x", "", "/settings/leas", {"tasks", "lease"}, {}};
  error.details = {{"/settings/leas", "/properties/settings/additionalProperties", "there is no member 'leas' here"}};
  EXPECT_EQ(as_typed(error, "workspace set").legal_next, (std::vector<std::string>{"lease"}));
  error.details.front().instance = "/settings/nothing";
  EXPECT_EQ(as_typed(error, "workspace set").legal_next.size(), 2u);
}

TEST(WarningText, code_place_and_what_is_so) {
  EXPECT_EQ(warning_text({"/to", "BOUNCED", "the mailbox of 'b' is full"}, false),
            "  warning  BOUNCED  /to  the mailbox of 'b' is full\n");
  EXPECT_EQ(warning_text({"", "NO_RECIPIENT", "nobody is there"}, false), "  warning  NO_RECIPIENT  nobody is there\n");
  EXPECT_EQ(warning_text({"/a", "/properties/a/type", "found \033[5m"}, false),
            "  warning  /a  found \\u001b[5m  (/properties/a/type)\n");
}

TEST(ErrorText, when_to_try_again_is_said) {
  auto error = base::fail(base::ErrorCode::RATE_LIMITED, "too many").error();
  error.retry_after = std::chrono::milliseconds(1500);
  EXPECT_NE(error_text(error, false).find("\n  retry  in 1500ms\n"), std::string::npos) << error_text(error, false);
}

TEST(ErrorText, colours_hold_no_text_of_the_message) {
  EXPECT_EQ(error_text(schema_error(), true).find("\033[5m"), std::string::npos);
}

TEST(ErrorExit, what_had_no_answer_has_a_status_of_its_own) {
  EXPECT_EQ(exit_of(schema_error()), Exit::refused);
  EXPECT_EQ(exit_of(base::fail(base::ErrorCode::UNREACHABLE, "").error()), Exit::unreachable);
  EXPECT_NE(error_text(base::fail(base::ErrorCode::UNREACHABLE, "x").error(), false).find("not reached"),
            std::string::npos);
}

TEST(ErrorPrinting, with_json_the_error_is_the_one_document_on_standard_output) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  print_error({terminal, true}, schema_error());
  EXPECT_EQ(err.str(), "");
  const auto document = json::Document::parse(out.str());
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().at_pointer("/error/code").if_string(), "SCHEMA");
  EXPECT_EQ(document->root().at_pointer("/error/legal_next/0").if_string(), "task_progress");
  EXPECT_EQ(document->root().at_pointer("/error/details/0/instance").if_string(), "/payload/priority");
}

TEST(ErrorPrinting, a_missing_token_is_told_in_options) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  auto error = base::fail(base::ErrorCode::UNAUTHENTICATED, "the request has no bearer token").error();
  error.hint = "Send `Authorization: Bearer TOKEN`.";  // what a server says
  print_error({terminal, false}, error);
  EXPECT_NE(err.str().find("--token"), std::string::npos);
  EXPECT_EQ(err.str().find("Authorization"), std::string::npos);
}

TEST(ErrorPrinting, no_hint_of_the_catalogue_speaks_of_methods_and_paths) {
  for (std::size_t i = 0; i < base::error_infos.size(); ++i) {
    std::ostringstream out, err;
    Terminal terminal{out, err};
    print_error({terminal, false}, base::fail(static_cast<base::ErrorCode>(i), "m", "w").error());
    for (const char* word : {"PATCH", "GET …", "openapi", "Authorization"})
      EXPECT_EQ(err.str().find(word), std::string::npos) << err.str();
  }
}

TEST(ErrorPrinting, the_help_that_is_named_is_that_of_the_verb) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  print_error({terminal, false, "task list"}, base::fail(base::ErrorCode::BAD_REQUEST, "m", "w").error());
  EXPECT_NE(err.str().find("See `parley help task list`."), std::string::npos) << err.str();
  print_error({terminal, false}, base::fail(base::ErrorCode::BAD_REQUEST, "m", "w").error());
  EXPECT_NE(err.str().find("See `parley help`."), std::string::npos) << err.str();
}

TEST(ErrorPrinting, a_hint_of_the_refusal_itself_stays) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  print_error({terminal, false}, base::fail(base::ErrorCode::TASK_UNKNOWN, "m", "w", "Look twice.").error());
  EXPECT_NE(err.str().find("Look twice."), std::string::npos) << err.str();
}

TEST(ErrorPrinting, without_it_standard_output_stays_clean) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  print_error({terminal, false}, schema_error());
  EXPECT_EQ(out.str(), "");
  EXPECT_FALSE(err.str().empty());
}

}  // namespace
}  // namespace parley::cli
