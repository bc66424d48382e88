// Discovery: what is named beats the environment, which beats the data folder.
#include "sdk/cpp/access.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "sdk/cpp/client.hpp"
#include "sdk/cpp/stream.hpp"

namespace parley::sdk {
namespace {

class Discovery : public testing::Test {
 protected:
  Discovery() {
    char name[] = "/tmp/parley-access-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~Discovery() override {
    stop();
    std::filesystem::remove_all(folder_);
  }

  // What a server does while it lives, and what the kernel does when it is killed.
  void serve(const std::string& url) { hold(R"({"url": ")" + url + R"(", "pid": 999999999})"); }
  void hold(const std::string& text) {
    write("server.json", text);
    stop();
    lock_ = ::open((folder_ + "/server.json").c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(::flock(lock_, LOCK_EX | LOCK_NB), 0);
  }
  void stop() {
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
  }

  void write(const std::string& file, const std::string& text) { std::ofstream(folder_ + "/" + file) << text; }
  base::Result<Access> found(Wanted wanted) {
    if (wanted.data_folder.empty()) wanted.data_folder = folder_;
    return discover(wanted, [this](std::string_view name) { return variables_[std::string(name)]; });
  }

  std::string folder_;
  int lock_ = -1;
  std::map<std::string, std::string> variables_;
};

TEST_F(Discovery, an_empty_machine_has_the_default_address_and_no_token) {
  const auto access = found({});
  ASSERT_TRUE(access);
  EXPECT_EQ(access->url, "http://127.0.0.1:7411");
  EXPECT_EQ(access->token, "");
}

TEST_F(Discovery, the_data_folder_of_a_running_server_is_enough) {
  serve("http://127.0.0.1:9999/");
  write("admin.token", "secret-of-admin\n");
  const auto access = found({});
  ASSERT_TRUE(access);
  EXPECT_EQ(access->url, "http://127.0.0.1:9999");
  EXPECT_EQ(access->token, "secret-of-admin");
}

TEST_F(Discovery, the_environment_beats_the_folder_and_what_is_named_beats_both) {
  serve("http://127.0.0.1:1");
  write("admin.token", "of-folder");
  variables_ = {{"PARLEY_SERVER", "http://127.0.0.1:2"}, {"PARLEY_TOKEN", "of-environment"}};
  auto access = found({});
  EXPECT_EQ(access->url, "http://127.0.0.1:2");
  EXPECT_EQ(access->token, "of-environment");
  access = found({.server = "http://127.0.0.1:3", .token = "named"});
  EXPECT_EQ(access->url, "http://127.0.0.1:3");
  EXPECT_EQ(access->token, "named");
}

TEST_F(Discovery, an_admins_token_of_another_user_is_told_as_such) {
  write("admin.token", "of-folder");
  ASSERT_EQ(::chmod((folder_ + "/admin.token").c_str(), 0), 0);
  const bool is_root = ::geteuid() == 0;  // who may read everything
  ASSERT_TRUE(!is_root || ::seteuid(65534) == 0);
  const auto access = found({});
  const auto elsewhere = found({.server = "http://127.0.0.1:1"});
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().code, base::ErrorCode::FORBIDDEN);
  EXPECT_NE(access.error().message.find("cannot be read"), std::string::npos) << access.error().message;
  EXPECT_TRUE(elsewhere) << "its token is not asked for there";
}

TEST_F(Discovery, a_server_file_that_is_no_json_is_passed_over) {
  hold("{\"url\": ");
  EXPECT_EQ(found({})->url, default_url);
}

TEST_F(Discovery, the_data_folder_follows_the_xdg_convention) {
  variables_["HOME"] = "/home/x";
  const auto environment = [this](std::string_view name) { return variables_[std::string(name)]; };
  EXPECT_EQ(data_folder("", environment), "/home/x/.local/share/parley");
  variables_["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(data_folder("", environment), "/data/parley");
  variables_["PARLEY_DATA"] = "/var/lib/parley";
  EXPECT_EQ(data_folder("", environment), "/var/lib/parley");
  EXPECT_EQ(data_folder("/here", environment), "/here");
}

TEST_F(Discovery, tokens_of_the_folder_are_sent_to_no_other_server) {
  serve("http://127.0.0.1:1");
  write("admin.token", "of-folder");
  ASSERT_TRUE(TokenStore(folder_).put({"demo", "agents", "a"}, "of-a"));
  for (const char* agent : {"", "a"}) {
    const auto stranger = found({.server = "http://127.0.0.1:2", .agent = agent});
    ASSERT_FALSE(stranger) << agent;
    EXPECT_EQ(stranger.error().code, base::ErrorCode::FORBIDDEN);
    EXPECT_NE(stranger.error().hint.find("--token"), std::string::npos);
    EXPECT_TRUE(found({.server = "http://127.0.0.1:1/", .agent = agent}));
  }
  variables_["PARLEY_SERVER"] = "http://127.0.0.1:2";
  EXPECT_FALSE(found({}));
  EXPECT_TRUE(found({.token = "named"}));
}

TEST_F(Discovery, tokens_of_the_folder_are_sent_nowhere_while_its_server_is_down) {
  write("admin.token", "of-folder");
  ASSERT_TRUE(TokenStore(folder_).put({"demo", "agents", "a"}, "of-a"));
  for (const char* agent : {"", "a"}) {
    const auto down = found({.agent = agent});
    ASSERT_FALSE(down) << agent;
    EXPECT_EQ(down.error().code, base::ErrorCode::UNREACHABLE);
    EXPECT_FALSE(found({.server = std::string(default_url), .agent = agent}));
  }
}

// Whoever listens at its port now would get the token.
TEST_F(Discovery, tokens_of_the_folder_are_sent_nowhere_once_its_server_was_killed) {
  serve("http://127.0.0.1:1");
  write("admin.token", "of-folder");
  ASSERT_TRUE(TokenStore(folder_).put({"demo", "agents", "a"}, "of-a"));
  EXPECT_EQ(found({})->token, "of-folder");
  stop();
  EXPECT_EQ(own_server(folder_), "");
  for (const char* agent : {"", "a"}) {
    const auto killed = found({.agent = agent});
    ASSERT_FALSE(killed) << agent;
    EXPECT_EQ(killed.error().code, base::ErrorCode::UNREACHABLE);
    EXPECT_NE(killed.error().message.find("has ended"), std::string::npos) << killed.error().message;
    EXPECT_NE(killed.error().hint.find("parley serve --data " + folder_), std::string::npos) << killed.error().hint;
    EXPECT_FALSE(found({.server = "http://127.0.0.1:1", .agent = agent}));
  }
}

// Who waits for a message through a restart keeps calling.
TEST_F(Discovery, a_caller_that_was_there_before_the_kill_sends_no_token_after_it) {
  serve("http://127.0.0.1:9");
  write("admin.token", "of-folder");
  Client client(*found({}));
  EXPECT_NE(client.get("/v1/limits").error().message.find("GET"), std::string::npos) << "it was tried";
  stop();
  EXPECT_NE(client.get("/v1/limits").error().message.find("has ended"), std::string::npos);
  EXPECT_NE(Stream::open(client.access(), "demo", "a", {}).error().message.find("has ended"), std::string::npos);
  serve("http://127.0.0.1:9");
  EXPECT_NE(client.get("/v1/limits").error().message.find("GET"), std::string::npos) << "it is back";
  EXPECT_EQ(client.get("/v1/limits").error().code, base::ErrorCode::UNREACHABLE);
}

TEST_F(Discovery, a_token_that_another_server_gave_goes_there) {
  serve("http://127.0.0.1:1");
  const TokenStore tokens(folder_);
  ASSERT_TRUE(tokens.put({"demo", "agents", "a"}, "of-a", "http://far.example:7411"));
  EXPECT_EQ(found({.agent = "a"})->url, "http://far.example:7411");
  EXPECT_FALSE(found({.server = "http://127.0.0.1:1", .agent = "a"}));
  ASSERT_TRUE(tokens.put({"demo", "agents", "a"}, "of-a-here"));  // registered anew, at the folder's own
  EXPECT_EQ(found({.agent = "a"})->url, "http://127.0.0.1:1");
  tokens.remove({"demo", "agents", "a"});
  EXPECT_FALSE(tokens.get({"demo", "agents", "a"}));
}

TEST_F(Discovery, an_agent_calls_with_its_own_token_even_where_the_environment_has_one) {
  variables_["PARLEY_TOKEN"] = "of-admin";
  serve("http://127.0.0.1:1");
  ASSERT_TRUE(TokenStore(folder_).put({"demo", "agents", "developer-01"}, "of-developer"));
  const auto access = found({.agent = "developer-01"});
  ASSERT_TRUE(access);
  EXPECT_EQ(access->token, "of-developer");
  EXPECT_EQ(access->workspace, "demo");
}

TEST_F(Discovery, an_address_without_its_scheme_is_told_as_such) {
  write("admin.token", "of-folder");
  for (const sdk::Wanted& wanted :
       {Wanted{.server = "127.0.0.1:7611"}, Wanted{.server = "localhost:7611", .agent = "a"}}) {
    const auto access = found(wanted);
    ASSERT_FALSE(access);
    EXPECT_EQ(access.error().code, base::ErrorCode::BAD_REQUEST);
    EXPECT_NE(access.error().hint.find("http://"), std::string::npos);
  }
}

TEST_F(Discovery, a_workspace_that_has_no_such_agent_is_named) {
  serve("http://127.0.0.1:1");
  ASSERT_TRUE(TokenStore(folder_).put({"demo", "agents", "a"}, "of-a"));
  const auto access = found({.workspace = "demmo", .agent = "a"});
  ASSERT_FALSE(access);
  EXPECT_NE(access.error().message.find("\"demmo\""), std::string::npos) << access.error().message;
  EXPECT_EQ(access.error().legal_next, (std::vector<std::string>{"--workspace demo"}));
}

TEST_F(Discovery, an_agent_nobody_registered_here_is_refused_with_a_hint) {
  const auto access = found({.agent = "developer-01"});
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().code, base::ErrorCode::NOT_FOUND);
  EXPECT_NE(access.error().hint.find("parley agent add"), std::string::npos);
}

TEST_F(Discovery, an_agent_elsewhere_brings_its_token_in_the_environment) {
  variables_ = {{"PARLEY_TOKEN", "of-developer"}, {"PARLEY_WORKSPACE", "demo"}};
  write("admin.token", "of-admin");
  EXPECT_EQ(found({.agent = "developer-01"})->token, "of-developer");
  variables_.erase("PARLEY_TOKEN");
  EXPECT_FALSE(found({.agent = "developer-01"})) << "the admin's token must not stand in";
}

TEST_F(Discovery, an_agent_of_two_workspaces_is_asked_which) {
  serve("http://127.0.0.1:1");
  const TokenStore tokens(folder_);
  ASSERT_TRUE(tokens.put({"one", "agents", "a"}, "t1"));
  ASSERT_TRUE(tokens.put({"two", "agents", "a"}, "t2"));
  const auto access = found({.agent = "a"});
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().legal_next, (std::vector<std::string>{"--workspace one", "--workspace two"}));
  EXPECT_EQ(found({.workspace = "two", .agent = "a"})->token, "t2");
}

TEST_F(Discovery, an_agent_and_a_person_of_one_name_keep_a_token_each) {
  serve("http://127.0.0.1:1");
  const TokenStore tokens(folder_);
  ASSERT_TRUE(tokens.put({"demo", "agents", "a"}, "of-agent"));
  ASSERT_TRUE(tokens.put({"demo", "people", "a"}, "of-person"));
  EXPECT_EQ(found({.agent = "a"})->token, "of-agent");
  tokens.remove({"demo", "agents", "a"});
  EXPECT_EQ(found({.agent = "a"})->token, "of-person");
  EXPECT_EQ(found({.workspace = "demo", .agent = "a"})->token, "of-person");
}

TEST_F(Discovery, tokens_are_readable_by_their_owner_alone) {
  const TokenStore tokens(folder_);
  ASSERT_TRUE(tokens.put({"demo", "agents", "a"}, "t"));
  struct stat info{};
  ASSERT_EQ(::stat(tokens.path({"demo", "agents", "a"}).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
  ASSERT_EQ(::stat((folder_ + "/tokens/demo").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700);
}

TEST_F(Discovery, tokens_that_are_kept_at_one_time_do_not_disturb_each_other) {
  const TokenStore tokens(folder_);
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i)
      writers.emplace_back([&] {
        for (int j = 0; j < 25; ++j)
          if (!tokens.put({"demo", "agents", "a"}, "token", "http://127.0.0.1:1")) ++failed;
      });
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(*tokens.get({"demo", "agents", "a"}), "token");
  for (const auto& file : std::filesystem::directory_iterator(folder_ + "/tokens/demo/agents"))
    EXPECT_TRUE(file.path().extension() == ".token" || file.path().extension() == ".server") << file.path();
}

// No file grows beyond so many bytes while it lives.
class FilesOf {
 public:
  explicit FilesOf(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FilesOf() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST_F(Discovery, why_only_a_part_of_a_token_was_written_is_told) {
  const FilesOf few(3);
  const auto kept = TokenStore(folder_).put({"demo", "agents", "a"}, "of-a");
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("File too large"), std::string::npos) << kept.error().message;
}

TEST_F(Discovery, a_token_that_takes_anothers_place_and_cannot_be_kept_leaves_none_to_the_wrong_server) {
  serve("http://127.0.0.1:1");
  const TokenStore tokens(folder_);
  const TokenStore::Owner owner{"demo", "agents", "a"};
  ASSERT_TRUE(tokens.put(owner, "of-far", "http://far.example:7411"));
  {
    const FilesOf none(0);
    EXPECT_FALSE(tokens.put(owner, "of-a-here"));
  }
  EXPECT_FALSE(found({.agent = "a"}));
  ASSERT_TRUE(tokens.put(owner, "of-a-here"));
  EXPECT_EQ(found({.agent = "a"})->token, "of-a-here");
}

TEST_F(Discovery, that_a_token_cannot_be_kept_is_told_before_there_is_one) {
  const TokenStore tokens(folder_);
  const TokenStore::Owner owner{"demo", "agents", "a"};
  write("tokens", "in the way");
  const auto none = tokens.place(owner);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("cannot be kept"), std::string::npos) << none.error().message;
  std::filesystem::remove(folder_ + "/tokens");
  EXPECT_TRUE(tokens.place(owner));
  EXPECT_FALSE(tokens.get(owner)) << "there is none yet";
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/tokens")) << "no empty folder is left";
  EXPECT_FALSE(tokens.place({"demo", "agents", "../a"}));
}

TEST_F(Discovery, names_never_leave_the_folder_of_tokens) {
  const TokenStore tokens(folder_);
  for (const char* name : {"../a", "..", ".hidden", "a/b", "", "a\\b"}) {
    EXPECT_FALSE(tokens.put({"demo", "agents", name}, "t")) << name;
    EXPECT_FALSE(tokens.put({name, "agents", "a"}, "t")) << name;
    EXPECT_FALSE(tokens.get({name, "agents", "a"})) << name;
  }
}

}  // namespace
}  // namespace parley::sdk
