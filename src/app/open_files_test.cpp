#include "app/open_files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parley::app {
namespace {

// With these limits, in a process of its own: its hard limit cannot be raised again.
int connections_of(rlim_t soft, rlim_t hard) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{soft, hard};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::_exit(255);
    rlimit after{};
    const auto made = descriptors_for_connections();
    ::getrlimit(RLIMIT_NOFILE, &after);
    ::_exit(made && after.rlim_cur == hard ? *made : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// B5
TEST(OpenFiles, TheLimitIsRaisedAndSomeAreKeptForTheJournal) {
  EXPECT_EQ(connections_of(40, 200), 136);
  EXPECT_EQ(connections_of(128, 128), 64);
  EXPECT_EQ(connections_of(100, 127), 0);
}

}  // namespace
}  // namespace parley::app
