// The command line against a server that runs: what is kept, sent, printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api.hpp"
#include "command.hpp"

namespace parley::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Commands, An_address_that_is_none_is_refused_before_anything_is_made) {
  const std::string folder = "/tmp/parley-e2e-none-" + std::to_string(::getpid());
  for (const char* address : {"127.0.0.1:99999", "127.0.0.1:65536", "127.0.0.1:18446744073709551616",
                              "127.0.0.1:", "127.0.0.1", "nowhere:1", "0.0.0.0:0"}) {
    const Ran ran = run_parley({"serve", "--data", folder, "--listen", address});
    EXPECT_EQ(ran.status, 1) << address << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("--listen")) << address;
    EXPECT_THAT(ran.err, Not(HasSubstr("beyond-loopback"))) << "there is no such option";
    EXPECT_FALSE(std::filesystem::exists(folder)) << address;
  }
}

TEST(Commands, An_address_that_is_taken_is_refused_before_anything_is_made) {
  const Server server;
  const std::string folder = "/tmp/parley-e2e-none-" + std::to_string(::getpid());
  const Ran ran = run_parley({"serve", "--data", folder, "--listen", server.host()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("CANNOT_LISTEN"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Commands, The_token_of_the_folder_is_not_sent_to_a_stranger) {
  const Server server, stranger;
  EXPECT_EQ(run_parley(server, {"workspace", "list"}).status, 0);
  const Ran ran = run_parley(server, {"workspace", "list", "--server", stranger.url()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("--token"));
  EXPECT_EQ(run_parley(server, {"workspace", "list", "--server", stranger.url(), "--token", stranger.admin()}).status,
            0);
}

TEST(Commands, A_person_of_an_agents_name_leaves_its_token_alone) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "developer-01", "--profile", "collab", "--type", "developer"}).status,
            0);
  ASSERT_EQ(run_parley(server, {"person", "add", "developer-01", "--role", "observer"}).status, 0);
  EXPECT_EQ(run_parley(server, {"wait", "--as", "developer-01", "--timeout", "0s"}).status, 1) << "no message yet";
  ASSERT_EQ(run_parley(server, {"person", "remove", "developer-01"}).status, 0);
  EXPECT_EQ(run_parley(server, {"inbox", "--as", "developer-01"}).status, 0);
}

}  // namespace
}  // namespace parley::e2e
