#include "base/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

namespace parley::base {
namespace {

constexpr Duration patience = std::chrono::seconds(20);

TEST(Processes, Say_how_they_ended_and_leave_their_words_in_the_log) {
  const auto folder = TempFolder::make("process");
  ASSERT_TRUE(folder);
  auto process = Process::start({"sh", "-c", "echo said; exit 7"}, *folder / "log");
  ASSERT_TRUE(process);
  const auto end = process->wait(patience);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "exit status 7");
  std::string line;
  std::getline(std::ifstream(*folder / "log"), line);
  EXPECT_EQ(line, "said");
}

TEST(Processes, Have_no_input_and_are_waited_for_no_longer_than_asked) {
  const auto folder = TempFolder::make("process");
  auto reading = Process::start({"cat"}, *folder / "log");
  ASSERT_TRUE(reading->wait(patience));
  auto process = Process::start({"sleep", "60"}, *folder / "log");
  EXPECT_FALSE(process->wait(std::chrono::milliseconds(5)));
  process->kill();
  EXPECT_EQ(process->wait({})->text(), "signal 9");
}

TEST(Processes, Heed_a_closed_pipe_where_the_program_that_starts_them_does_not) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const auto folder = TempFolder::make("process");
  ASSERT_TRUE(folder);
  auto process = Process::start({"bash", "-c", "kill -PIPE $$"}, *folder / "log");
  ASSERT_TRUE(process);
  const auto end = process->wait(std::chrono::seconds(20));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGPIPE);
  ::signal(SIGPIPE, before);
}

TEST(Processes, Whose_end_is_not_told_did_not_succeed) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const auto folder = TempFolder::make("process");
  ASSERT_TRUE(folder);
  auto process = Process::start({"true"}, *folder / "log");
  ASSERT_TRUE(process);
  const auto end = process->wait(patience);
  ::signal(SIGCHLD, before);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "an end that was not told");
  EXPECT_NE(end->status, 0);
}

TEST(Processes, Go_with_the_object) {
  const auto folder = TempFolder::make("process");
  pid_t pid = 0;
  {
    auto process = Process::start({"sleep", "60"}, *folder / "log");
    auto moved = std::move(*process);
    pid = moved.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Processes, That_cannot_be_started_say_so) {
  const auto folder = TempFolder::make("process");
  EXPECT_FALSE(Process::start({"true"}, *folder / "no/such/folder/log"));
  auto unknown = Process::start({"no-such-program"}, *folder / "log");
  EXPECT_EQ(unknown->wait(patience)->status, 127);
}

TEST(TempFolders, Go_with_the_object_and_all_that_is_in_them) {
  std::string path;
  {
    const auto folder = TempFolder::make("folder");
    path = folder->path();
    std::ofstream(*folder / "file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path + "/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace parley::base
