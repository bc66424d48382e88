#include "cli/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace parley::cli {
namespace {

using namespace std::chrono_literals;

ShellCommand command(std::string text, base::Duration timeout = 20s) {
  return {.text = std::move(text), .directory = std::filesystem::temp_directory_path(), .timeout = timeout};
}

TEST(Process, tells_its_exit_code_and_what_it_said) {
  const auto ended = run(command("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_EQ(ended->output, "out\nerr\n");
  EXPECT_FALSE(ended->timed_out);
}

TEST(Process, that_a_signal_ends_is_told_as_a_shell_tells_it) {
  EXPECT_EQ(run(command("kill -TERM $$"))->exit_code, 128 + 15);
}

TEST(Process, heeds_a_closed_pipe_where_the_program_that_starts_it_does_not) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run(command("kill -PIPE $$"))->exit_code, 128 + SIGPIPE);
  std::signal(SIGPIPE, before);
}

TEST(Process, whose_end_is_not_told_has_no_result) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto ended = run(command("exit 3"));
  std::signal(SIGCHLD, before);
  ASSERT_FALSE(ended) << ended->exit_code;
  EXPECT_EQ(ended.error().code, base::ErrorCode::INTERNAL);
}

TEST(Process, is_ended_with_its_time_and_all_that_it_started) {
  const auto begun = std::chrono::steady_clock::now();
  const auto ended = run(command("echo begun; sleep 60 & sleep 60", 300ms));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->timed_out);
  EXPECT_EQ(ended->output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST(Process, that_left_something_behind_is_not_waited_for) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(run(command("sleep 60 & exit 0"))->exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST(Process, keeps_the_end_of_a_long_output) {
  const auto ended = run(command("yes line | head -c 5000000; echo last"));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->output.size(), 4'096u);
  EXPECT_TRUE(ended->output.ends_with("last\n"));
}

TEST(Process, that_writes_faster_than_it_is_read_ends_with_its_time) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(run(command("yes & yes & yes & yes & yes & yes & yes & yes", 300ms))->timed_out);
  EXPECT_EQ(run(command("yes & yes & yes & yes & yes & yes & yes & exit 0"))->exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST(Process, is_not_given_the_tokens_of_the_environment) {
  ::setenv("PARLEY_TOKEN", "pt_secret", 1);
  EXPECT_EQ(run(command("echo \"[$PARLEY_TOKEN]\""))->output, "[]\n");
}

TEST(Process, that_cannot_be_started_is_an_error) {
  EXPECT_FALSE(run({.text = "true", .directory = "/no/such/folder", .timeout = 5s}));
}

}  // namespace
}  // namespace parley::cli
