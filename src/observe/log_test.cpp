#include "observe/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "base/test_clock.hpp"

namespace parley::observe {
namespace {

struct Lines {
  base::TestClock clock;
  std::vector<std::string> all;
  std::unique_ptr<Log> log =
      Log::to_function(clock, Level::info, [this](std::string_view line) { all.emplace_back(line); });
};

// COR-13
TEST(Log, WritesOneJsonObjectALine) {
  Lines lines;
  lines.log->info("connection opened",
                  {{"id", 7u}, {"peer", "127.0.0.1"}, {"tls", false}, {"share", 0.5}, {"delta", -1}});
  ASSERT_EQ(lines.all.size(), 1u);
  EXPECT_EQ(lines.all[0], R"({"ts":"2026-02-03T09:00:00Z","level":"info","event":"connection opened",)"
                          R"("id":7,"peer":"127.0.0.1","tls":false,"share":0.5,"delta":-1})");
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  Lines lines;
  lines.log->debug("x");
  EXPECT_TRUE(lines.all.empty());
  lines.log->error("y");
  EXPECT_EQ(lines.all.size(), 1u);
}

// G3: no value ends a line, colours a terminal, turns the writing direction or passes for a field.
TEST(Log, EscapesWhatCouldBreakOut) {
  Lines lines;
  lines.log->info("e", {{"v", "a\r\nb\x1b[31m\"\\\x7f"}});
  EXPECT_NE(lines.all[0].find(R"("v":"a\u000d\u000ab\u001b[31m\"\\\u007f")"), std::string::npos) << lines.all[0];
  lines.log->info("e", {{"v", "\xC2\x9B\xE2\x80\xA8\xE2\x80\xAE"}});  // C1 escape, line separator, bidi override
  for (const char c : lines.all[1]) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << lines.all[1];
  lines.log->info("e", {{"v", "ü€😀"}});
  EXPECT_NE(lines.all[2].find("ü€😀"), std::string::npos);
  lines.log->info("e", {{"v", "\xff\xc0\xaf\xed\xa0\x80\xf5"}});  // no UTF-8 at all
  EXPECT_NE(lines.all[3].find(R"(\u00ff\u00c0\u00af)"), std::string::npos) << lines.all[3];
  lines.log->info("e", {{"v", std::string("\xE2\x82")}});  // cut within a character
  EXPECT_NE(lines.all[4].find(R"(\u00e2\u0082)"), std::string::npos) << lines.all[4];
}

TEST(Log, CutsLongValues) {
  Lines lines;
  lines.log->info("e", {{"v", std::string(100'000, 'x')}});
  EXPECT_LT(lines.all[0].size(), 5000u);
  EXPECT_TRUE(lines.all[0].ends_with("x...\"}"));
}

// ThreadSanitizer sees whether the sink goes while the log's thread may still be at it.
TEST(Log, EndsItsThreadBeforeWhatThatWritesTo) {
  base::TestClock clock;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  auto log = Log::to_descriptor(clock, Level::info, ends[1]);
  log->info("line");
  char first = 0;
  ASSERT_EQ(::read(ends[0], &first, 1), 1);
  log.reset();
  for (const int end : ends) ::close(end);
}

// A pipe whose reader stands still: not one byte more goes in.
struct FullPipe {
  FullPipe() {
    EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    while (::write(ends[1], "x", 1) == 1) ++bytes;
  }
  // What comes behind what it is full of, up to the end of a line.
  std::string next_line() {
    std::string text;
    while (!text.ends_with('\n')) {
      char byte = 0;
      if (::read(ends[0], &byte, 1) != 1)
        std::this_thread::yield();
      else if (bytes > 0)
        --bytes;
      else
        text += byte;
    }
    return text;
  }
  int ends[2];  // open for good: a log's thread may be left behind
  std::size_t bytes = 0;
};

// B4: nor its end, nor another log's; and a reader that goes on misses nothing.
TEST(Log, AReaderThatStandsStillHoldsUpNothing) {
  for (const bool blocks : {true, false}) {
    base::TestClock clock;
    FullPipe pipe;
    if (blocks) ::fcntl(pipe.ends[1], F_SETFL, 0);
    const auto begun = std::chrono::steady_clock::now();
    auto log = Log::to_descriptor(clock, Level::info, pipe.ends[1]);
    for (int i = 0; i < 10'000; ++i) log->info("line", {{"n", 7}});
    Log::to_descriptor(clock, Level::info, pipe.ends[1]).reset();
    log.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
    for (int i = 0; i < 8'000; ++i)
      ASSERT_EQ(pipe.next_line(), R"({"ts":"2026-02-03T09:00:00Z","level":"info","event":"line","n":7})"
                                  "\n");
  }
}

TEST(Log, WritesOutWhatWaitsWhenItEnds) {
  base::TestClock clock;
  const std::string path = testing::TempDir() + "parley_log_test.jsonl";
  std::remove(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  {
    const auto log = Log::to_descriptor(clock, Level::info, file);
    for (int i = 0; i < 100; ++i) log->info("line", {{"n", i}});
  }
  ::close(file);
  std::ifstream in(path);
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    EXPECT_EQ(line.find(R"({"ts":)"), 0u) << line;
    ++count;
  }
  EXPECT_EQ(count, 100);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace parley::observe
