// A shell that writes what a server would stands for the command that runs one: no server is needed to see who is
// killed.
#include "sdk/cpp/server_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace parley::sdk {
namespace {

class ServerUnderAnother : public testing::Test {
 protected:
  // What becomes of a child's child is told to this process.
  void SetUp() override { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  void TearDown() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }

  ServerProcess started() {
    const std::string script = "sleep 60 & printf '{\"url\":\"http://127.0.0.1:1\",\"pid\":%d}' $! >" +
                               (folder / "server.json") + "; exec sleep 60";
    auto server = ServerProcess::start({"parley", folder.path(), folder / "log", {"sh", "-c", script}});
    EXPECT_TRUE(server->wait_until_ready(std::chrono::seconds(30)));
    return std::move(*server);
  }

  static void expect_killed(pid_t server) {
    int status = 0;
    ASSERT_EQ(::waitpid(server, &status, 0), server);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }

  base::TempFolder folder = base::TempFolder::make("server-under").value();
};

TEST_F(ServerUnderAnother, is_killed_with_it) {
  ServerProcess server = started();
  server.kill();
  expect_killed(server.pid());
}

TEST_F(ServerUnderAnother, is_killed_in_the_end) {
  pid_t pid = 0;
  {
    const ServerProcess server = started();
    pid = server.pid();
  }
  expect_killed(pid);
}

}  // namespace
}  // namespace parley::sdk
