// The command line against a server that runs: what is kept, sent, printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "api.hpp"
#include "base/process.hpp"
#include "command.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Commands, An_address_that_is_none_is_refused_before_anything_is_made) {
  const std::string folder = "/tmp/parley-e2e-none-" + std::to_string(::getpid());
  for (const auto& [address, status] : std::vector<std::pair<std::string, int>>{{"127.0.0.1:99999", 2},
                                                                                {"127.0.0.1:65536", 2},
                                                                                {"127.0.0.1:18446744073709551616", 2},
                                                                                {"127.0.0.1:", 2},
                                                                                {"127.0.0.1", 2},
                                                                                {"nonsense", 2},
                                                                                {"nowhere:1", 1},
                                                                                {"0.0.0.0:0", 1}}) {
    const Ran ran = run_parley({"serve", "--data", folder, "--listen", address});
    EXPECT_EQ(ran.status, status) << address << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("--listen")) << address;
    EXPECT_THAT(ran.err, Not(HasSubstr("beyond-loopback"))) << "there is no such option";
    EXPECT_THAT(ran.err, Not(HasSubstr("Stop what listens"))) << "nothing does";
    EXPECT_FALSE(std::filesystem::exists(folder)) << address;
  }
}

TEST(Commands, A_name_that_can_never_match_is_refused_before_anything_is_made) {
  const std::string folder = "/tmp/parley-e2e-none-" + std::to_string(::getpid());
  const auto serve = [&](const char* option, const char* name) {
    return run_parley({"serve", "--data", folder, "--listen", "127.0.0.1:0", option, name});
  };
  for (const char* origin : {"app.example.org", "https://app.example.org/", "https://", "://a", "https://*.a.org"})
    EXPECT_THAT(serve("--allow-origin", origin).err, HasSubstr("usage: --allow-origin")) << origin;
  for (const char* host : {"http://proxy.example.org", "proxy.example.org/", "*.example.org"})
    EXPECT_THAT(serve("--allow-host", host).err, HasSubstr("usage: --allow-host")) << host;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Commands, An_address_that_others_can_reach_is_told_as_such) {
  EXPECT_THAT(run_parley({"serve", "--data", "/tmp/parley-e2e-none", "--listen", "0.0.0.0:0"}).err,
              HasSubstr("0.0.0.0 is not a loopback address"));
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

TEST(Commands, The_token_of_the_folder_is_not_sent_once_its_server_was_killed) {
  Server server;
  server.kill();
  ASSERT_TRUE(std::filesystem::exists(server.folder() + "/server.json"));
  const Ran ran = run_parley(server, {"workspace", "list"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("has ended"));
  EXPECT_THAT(ran.err, HasSubstr("parley serve --data " + server.folder()));
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

TEST(Commands, A_token_that_another_server_gave_is_neither_replaced_nor_removed) {
  const Server own, other;
  const std::vector<std::string> at_other{"--server", other.url(), "--token", other.admin()};
  const auto call = [](const Server& folder, std::vector<std::string> words,
                       const std::vector<std::string>& more = {}) {
    words.insert(words.end(), more.begin(), more.end());
    return run_parley(folder, words);
  };
  const std::vector<std::string> add{"agent", "add", "developer-01", "--profile", "collab", "--type", "developer"};
  for (const Server* const server : {&own, &other}) {
    ASSERT_EQ(run_parley(*server, {"workspace", "create", "demo"}).status, 0);
    ASSERT_EQ(run_parley(*server, add).status, 0);
  }
  const std::string file = own.folder() + "/tokens/demo/agents/developer-01.token", kept = read_file(file);
  for (const auto& words : {add, std::vector<std::string>{"agent", "token", "developer-01"}}) {
    const Ran refused = call(own, words, at_other);
    EXPECT_EQ(refused.status, 1) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("another server's than " + other.url()));
    EXPECT_THAT(refused.err, HasSubstr(file));
  }
  EXPECT_EQ(run_parley(other, {"inbox", "--as", "developer-01"}).status, 0) << "nor was its token renewed there";
  EXPECT_EQ(call(own, {"agent", "remove", "developer-01"}, at_other).status, 0);
  EXPECT_EQ(read_file(file), kept);
  EXPECT_EQ(run_parley(own, {"inbox", "--as", "developer-01"}).status, 0);
  EXPECT_EQ(run_parley(own, {"agent", "remove", "developer-01"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Commands, A_token_of_the_same_server_under_another_name_of_this_machine_is_renewed_and_removed) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "developer-01", "--profile", "collab", "--type", "developer"}).status,
            0);
  const auto as_localhost = [&server](std::vector<std::string> words) {
    const std::string alias = "http://localhost:" + std::to_string(server.port());
    words.insert(words.end(), {"developer-01", "--server", alias, "--token", server.admin()});
    return run_parley(server, words);
  };
  const std::string file = server.folder() + "/tokens/demo/agents/developer-01.token", first = read_file(file);
  const Ran renewed = as_localhost({"agent", "token"});
  EXPECT_EQ(renewed.status, 0) << renewed.err;
  EXPECT_NE(read_file(file), first);
  EXPECT_EQ(run_parley(server, {"inbox", "--as", "developer-01"}).status, 0) << "kept as the folder's own server's";
  EXPECT_EQ(as_localhost({"agent", "remove"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Commands, What_became_of_the_files_before_an_unreadable_one_is_told) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  const Ran added =
      run_parley(server, {"agent", "add", "architect-main", "--profile", "collab", "--type", "architect"});
  ASSERT_EQ(added.status, 0);
  EXPECT_THAT(added.out, Not(HasSubstr("pt_"))) << "the token is in its file";
  ASSERT_EQ(run_parley(server, {"agent", "add", "developer-01", "--profile", "collab", "--type", "developer"}).status,
            0);
  const std::string example = source_folder() + "/spec/profiles/collab/examples/task_assignment.json";
  const Ran made = run_parley({"fresh", example});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string file = server.folder() + "/task.json";
  std::ofstream(file) << made.out;
  const Ran sent = run_parley(server, {"send", "--as", "architect-main", file, "/no/such/file", "--json"});
  EXPECT_EQ(sent.status, 1);
  const auto outcomes = json::Document::parse(sent.out);
  ASSERT_TRUE(outcomes) << sent.out;
  EXPECT_EQ(outcomes->root().at_pointer("/0/status").if_string(), "accepted") << sent.out;
  EXPECT_EQ(outcomes->root().at_pointer("/0/warnings").size(), 0u) << "an example made fresh warns of nothing";
  EXPECT_EQ(outcomes->root().at_pointer("/1/error/code").if_string(), "NOT_FOUND");
  EXPECT_THAT(run_parley(server, {"send", "--as", "architect-main", file}).out, HasSubstr("duplicate"));
}

TEST(Commands, Tail_shows_the_newest_and_says_what_it_leaves_out) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(run_parley(server, {"person", "add", "p" + std::to_string(i), "--role", "observer"}).status, 0);
  const Ran last = run_parley(server, {"tail", "-n", "2"});
  EXPECT_THAT(last.out, HasSubstr("p4"));
  EXPECT_THAT(last.out, Not(HasSubstr("p2")));
  EXPECT_THAT(last.err, HasSubstr("There are earlier entries"));
  EXPECT_EQ(run_parley(server, {"tail", "-n", "5"}).err, "") << "there are no earlier ones";
  EXPECT_THAT(run_parley(server, {"tail", "--from", "1"}).out, HasSubstr("p0"));
  EXPECT_THAT(run_parley(server, {"tail", "--from", "1", "-n", "1"}).out, Not(HasSubstr("p1")));
}

TEST(Commands, Tail_counts_what_its_agent_may_see) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const char* id : {"dispatcher", "extractor-2", "idle"})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "handoff", "--type", "worker"}).status, 0);
  const auto seen_by = [&](const std::string& agent, const std::string& count) {
    const Ran ran = run_parley(server, {"tail", "--as", agent, "-n", count});
    return std::pair(std::ranges::count(ran.out, '\n'), ran.err);
  };
  for (int i = 0; i < 3; ++i) {
    const Ran fresh = run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/HEARTBEAT.json"});
    const std::string file = server.folder() + "/beat.json";
    std::ofstream(file) << fresh.out;
    ASSERT_EQ(run_parley(server, {"send", "--as", "extractor-2", file}).status, 0) << fresh.out;
    for (int j = 0; j < 20; ++j)
      ASSERT_EQ(post(server, "/v1/workspaces/demo/people", server.admin(),
                     R"({"person_id":"p)" + std::to_string(20 * i + j) + R"(","roles":["observer"]})")
                    .status,
                201);
  }
  const Ran all = run_parley(server, {"tail", "--as", "extractor-2", "--from", "1"});
  const auto count = std::ranges::count(all.out, '\n');
  ASSERT_GE(count, 3);
  ASSERT_LT(count, 60);
  EXPECT_EQ(seen_by("extractor-2", std::to_string(count)), (std::pair<long, std::string>(count, "")));
  EXPECT_EQ(seen_by("extractor-2", "2").first, 2);
  EXPECT_THAT(seen_by("extractor-2", "2").second, HasSubstr("earlier"));
  EXPECT_EQ(run_parley(server, {"tail", "--as", "extractor-2"}).out, all.out);
}

TEST(Commands, Tail_and_task_wait_outlive_a_restart_of_the_server) {
  Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "dispatcher", "--profile", "handoff", "--type", "worker"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "extractor-1", "--profile", "handoff", "--type", "worker"}).status, 0);
  const Ran fresh = run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/TASK_ASSIGNMENT.json"});
  const std::string file = server.folder() + "/task.json", shown = server.folder() + "/shown";
  std::ofstream(file) << fresh.out;
  ASSERT_EQ(run_parley(server, {"send", "--as", "dispatcher", file}).status, 0);
  const auto message = json::Document::parse(fresh.out);
  const std::string task(message->root().at_pointer("/payload/task_id").if_string().value_or("task-invoices-0392"));

  const auto answered = [&] {
    const std::string text = get(server, "/metrics", server.admin()).body,
                      name = R"(parley_http_requests_total{status="2xx"} )";
    const auto at = text.find(name);
    return at == text.npos ? 0 : std::stoul(text.substr(at + name.size()));
  };
  const std::size_t before = answered();
  auto waited = std::async(std::launch::async, [&] { return run_parley(server, {"task", "wait", task}); });
  // It has found its workspace and looked once: from then on it waits. Each look of ours is answered, too.
  for (std::size_t looks = 1; looks < 1'000 && answered() < before + looks + 2; ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const pid_t tail = start_parley(shown, {"tail", "-f", "--data", server.folder()});
  const auto await = [&](const std::string& what) {
    for (int i = 0; i < 1'000 && read_file(shown).find(what) == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return read_file(shown);
  };
  EXPECT_THAT(await("dispatcher"), HasSubstr("dispatcher"));
  server.kill();
  server.start();
  ASSERT_EQ(run_parley(server, {"person", "add", "later", "--role", "observer"}).status, 0);
  EXPECT_THAT(await("later"), HasSubstr("later"));
  ::kill(tail, SIGKILL);
  ::waitpid(tail, nullptr, 0);
  EXPECT_EQ(run_parley(server, {"task", "abort", task}).status, 0);
  const Ran over = waited.get();
  EXPECT_THAT(over.out, HasSubstr("aborted")) << over.err;
}

TEST(Commands, What_was_damaged_is_not_said_to_have_been_promised_to_nobody) {
  Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(run_parley(server, {"person", "add", "p" + std::to_string(i), "--role", "observer"}).status, 0);
  server.stop();
  EXPECT_EQ(run_parley(server, {"verify"}).status, 0);
  std::fstream segment(server.folder() + "/journal/0000000001.segment");
  segment.seekg(4096);
  const char was = static_cast<char>(segment.get());
  segment.seekp(4096);
  segment.put(static_cast<char>(was ^ 0x40));
  segment.close();
  const Ran told = run_parley(server, {"verify"}), as_json = run_parley(server, {"verify", "--json"});
  EXPECT_EQ(told.status, 1);
  EXPECT_THAT(told.err, HasSubstr("JOURNAL_DAMAGED"));
  EXPECT_THAT(told.err, HasSubstr("backup"));
  EXPECT_THAT(told.err, Not(HasSubstr("parley verify")));
  EXPECT_THAT(told.out, Not(HasSubstr("never promised")));
  EXPECT_THAT(as_json.out, HasSubstr("\"tail_bytes\":0"));
}

TEST(Commands, A_list_that_is_cut_off_says_so_and_can_be_gone_on_with) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const char* id : {"dispatcher", "extractor-1"})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "handoff", "--type", "worker"}).status, 0);
  for (int i = 0; i < 3; ++i) {
    const Ran fresh = run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/TASK_ASSIGNMENT.json"});
    std::string text = fresh.out;
    for (std::size_t at = 0; (at = text.find("task-invoices-0392", at)) != std::string::npos; at += 6)
      text.replace(at, 18, "task-" + std::to_string(i));
    const std::string file = server.folder() + "/message.json";
    std::ofstream(file) << text;
    ASSERT_EQ(run_parley(server, {"send", "--as", "dispatcher", file}).status, 0);
  }
  for (const std::vector<std::string>& list :
       {std::vector<std::string>{"task", "list"}, {"inbox", "--as", "extractor-1"}}) {
    const auto some = [&](std::vector<std::string> more) {
      more.insert(more.begin(), list.begin(), list.end());
      return run_parley(server, more);
    };
    const Ran cut = some({"-n", "2", "--json"});
    const auto first = json::Document::parse(cut.out);
    ASSERT_TRUE(first) << cut.out << cut.err;
    const json::Value next = first->root().find("next");
    ASSERT_FALSE(next.is_absent() || next.is_null()) << cut.out;
    const std::string after = next.is_string() ? std::string(next.as_string()) : json::to_text(next);
    EXPECT_THAT(some({"-n", "2"}).err, HasSubstr("2 shown; for more: --after " + after));
    const auto rest = json::Document::parse(some({"--after", after, "--json"}).out);
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->root().find("items").size(), 1u);
    EXPECT_TRUE(rest->root().find("next").is_null());
    EXPECT_EQ(some({}).err, "");
  }
}

// As somebody else, which root alone can be.
TEST(Commands, A_data_folder_of_somebody_else_is_told_as_such) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  const Server server;
  const auto as_nobody = [&](const std::string& verb) {
    const std::string told = server.folder() + ".told";
    const std::string line = "setpriv --reuid=65534 --regid=65534 --clear-groups \"$PARLEY_BINARY\" " + verb +
                             " --data " + server.folder() + " > " + told + " 2>&1";
    (void)std::system(line.c_str());
    std::ifstream file(told);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::filesystem::remove(told);
    return text;
  };
  EXPECT_THAT(as_nobody("verify"), HasSubstr("FORBIDDEN"));
  EXPECT_THAT(as_nobody("verify"), HasSubstr("as the user that the server runs as"));
  EXPECT_THAT(as_nobody("doctor"), Not(HasSubstr("`parley serve` makes it")));
}

TEST(Commands, A_data_folder_that_is_none_is_told_as_such) {
  const std::string place = "/tmp/parley-e2e-none-" + std::to_string(::getpid()), file = place + "/file";
  std::filesystem::create_directories(place + "/empty");
  std::ofstream(file) << "x";
  for (const std::string& folder : {place + "/none", file, file + "/in", place + "/empty"}) {
    const Ran ran = run_parley({"verify", "--data", folder});
    EXPECT_EQ(ran.status, 1) << folder;
    EXPECT_THAT(ran.err, HasSubstr("--data")) << folder;
    EXPECT_THAT(ran.err, Not(HasSubstr("JOURNAL"))) << folder;
  }
  for (const std::string& folder : {file, file + "/in"}) {
    const Ran ran = run_parley({"serve", "--data", folder, "--listen", "127.0.0.1:0"});
    EXPECT_EQ(ran.status, 1) << folder;
    EXPECT_THAT(ran.err, HasSubstr(file + " is not a folder")) << folder;
    EXPECT_THAT(ran.err, HasSubstr("--data")) << folder;
  }
  std::ofstream(place + "/empty/admin.token") << "";
  std::filesystem::permissions(place + "/empty/admin.token", std::filesystem::perms::owner_read);
  const Ran no_token = run_parley({"serve", "--data", place + "/empty", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(no_token.status, 1);
  EXPECT_THAT(no_token.err, HasSubstr("Delete the file"));
  EXPECT_THAT(no_token.err, Not(HasSubstr("INTERNAL")));
  std::filesystem::remove_all(place);
}

TEST(Commands, More_messages_than_a_request_holds_are_sent_in_order) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const auto& [id, type] : {std::pair("architect-main", "architect"), std::pair("developer-01", "developer")})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "collab", "--type", type}).status, 0);
  constexpr std::size_t count = 1'500;
  const auto wrong = [](std::size_t i) { return i == 1'234; };
  for (const bool ndjson : {true, false}) {
    const std::string file = server.folder() + (ndjson ? "/big.ndjson" : "/big.json");
    std::vector<std::string> ids;
    std::ofstream out(file);
    if (!ndjson) out << '[';
    for (std::size_t i = 0; i < count; ++i) {
      ids.push_back(uuid());
      if (i > 0) out << (ndjson ? '\n' : ',');
      out << (wrong(i) ? "{}" : status_query("architect-main", "developer-01", ids.back()));
    }
    if (!ndjson) out << ']';
    out.close();
    const Ran sent = run_parley(server, {"send", "--as", "architect-main", file, "--json"});
    const auto outcomes = json::Document::parse(sent.out, {.bytes = 64 << 20});
    ASSERT_TRUE(outcomes) << sent.out.substr(0, 500);
    ASSERT_EQ(outcomes->root().size(), count) << sent.out.substr(0, 500);
    EXPECT_EQ(sent.status, 1) << "one is refused";
    for (std::size_t i = 0; i < count; ++i) {
      const json::Value one = outcomes->root().element(static_cast<std::uint32_t>(i));
      if (wrong(i))
        EXPECT_TRUE(one.find("error"));
      else
        ASSERT_EQ(one.find("message_id").if_string(), ids[i]) << json::to_text(one);
    }
  }
}

// What goes with one message alone is refused with many, and what goes with each goes with each.
TEST(Commands, Nothing_said_beside_a_file_of_many_messages_is_lost) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const char* id : {"dispatcher", "extractor-2"})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "handoff", "--type", "worker"}).status, 0);
  const std::string file = server.folder() + "/many.json";
  const std::string one = run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/HEARTBEAT.json"}).out;
  const auto send = [&](std::string option, std::string value) {
    return run_parley(server, {"send", "--as", "extractor-2", file, std::move(option), std::move(value), "--json"});
  };
  std::ofstream(file) << "[" << one << "," << one << "]";
  EXPECT_THAT(send("--reply-by", "tomorrow").out, HasSubstr("?reply_by"));
  EXPECT_THAT(send("--idempotency-key", "k").out, HasSubstr("Idempotency-Key"));
  EXPECT_THAT(send("--supersedes", "m").out, HasSubstr("stand in the place of one"));
  const Ran misused = send("--superseded-to", "dispatcher");
  EXPECT_EQ(misused.status, 2);
  EXPECT_THAT(misused.out, HasSubstr("no --supersedes"));
  std::ofstream(file) << "[" << one << "]";
  EXPECT_EQ(send("--idempotency-key", "k").status, 0) << "one alone has a name";
}

// MSH-12: nothing that was refused looks sent, whatever the file is.
TEST(Commands, What_is_wrong_with_one_message_of_a_file_is_told) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const char* id : {"dispatcher", "extractor-2"})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "handoff", "--type", "worker"}).status, 0);
  const auto fresh = [] {
    return run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/HEARTBEAT.json"}).out;
  };
  const auto send = [&](const std::string& name, const std::string& text) {
    const std::string file = server.folder() + "/" + name;
    std::ofstream(file) << text;
    return run_parley(server, {"send", "--as", "extractor-2", file, "--json"});
  };
  const Ran mixed = send("mixed.json", "[" + fresh() + R"(,{"a":1,"a":2},)" + fresh() + "]");
  EXPECT_EQ(mixed.status, 1);
  const auto results = json::Document::parse(mixed.out);
  ASSERT_TRUE(results) << mixed.out;
  EXPECT_EQ(results->root().at_pointer("/0/status").if_string(), "accepted");
  EXPECT_EQ(results->root().at_pointer("/1/error/code").if_string(), "BAD_JSON");
  EXPECT_EQ(results->root().at_pointer("/2/status").if_string(), "accepted");
  for (const auto& [name, text] : {std::pair("broken.json", R"([{"a":1,"a":2},{"b":1,"b":1}])"),
                                   {"nested.json", R"([[{"a":1}]])"},
                                   {"line.ndjson", R"([{"a":1}])"},
                                   {"cut.json", R"([{"a":1)"}}) {
    const Ran ran = send(name, text);
    EXPECT_EQ(ran.status, 1) << name << ": " << ran.out;
    EXPECT_THAT(ran.out, testing::Not(HasSubstr("accepted"))) << name;
  }
}

TEST(Commands, An_agent_whose_token_cannot_be_kept_is_not_registered) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  std::ofstream(server.folder() + "/tokens") << "in the way";
  const Ran refused = run_parley(server, {"agent", "add", "a", "--profile", "mesh"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("cannot be kept"));
  EXPECT_THAT(run_parley(server, {"agent", "list"}).out, Not(HasSubstr("mesh")));
  std::filesystem::remove(server.folder() + "/tokens");
  EXPECT_EQ(run_parley(server, {"agent", "add", "a", "--profile", "mesh"}).status, 0);
}

TEST(Commands, Where_a_token_was_given_and_lost_it_is_said_how_to_go_on) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  const std::string in_the_way = server.folder() + "/tokens/demo/agents/a.token";
  std::filesystem::create_directories(in_the_way);
  const Ran lost = run_parley(server, {"agent", "add", "a", "--profile", "mesh"});
  EXPECT_EQ(lost.status, 1);
  EXPECT_THAT(lost.err, HasSubstr("a is registered in demo, but the token cannot be kept"));
  EXPECT_THAT(lost.err, HasSubstr("`parley agent token a --workspace demo`"));
  std::filesystem::remove(in_the_way);
  EXPECT_EQ(run_parley(server, {"agent", "token", "a", "--workspace", "demo"}).status, 0);
  EXPECT_EQ(run_parley(server, {"inbox", "--as", "a"}).status, 0);
}

TEST(Commands, Of_tokens_renewed_at_one_time_the_newest_is_kept) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "a", "--profile", "mesh"}).status, 0);
  for (int round = 0; round < 5; ++round) {
    std::vector<std::future<Ran>> renewals;
    for (int i = 0; i < 4; ++i)
      renewals.push_back(std::async(std::launch::async, [&] { return run_parley(server, {"agent", "token", "a"}); }));
    for (auto& renewal : renewals) {
      const Ran ran = renewal.get();
      EXPECT_EQ(ran.status, 0) << ran.err;
    }
    EXPECT_EQ(run_parley(server, {"inbox", "--as", "a"}).status, 0) << round;
  }
}

TEST(Commands, A_story_that_is_ended_leaves_nothing_behind) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const auto place = base::TempFolder::make("ended");
    ASSERT_TRUE(place);
    const std::string temporary = *place / "tmp", shown = *place / "shown";
    std::filesystem::create_directories(temporary);
    const pid_t story = start_parley(shown, {"scenario", "handoff", "--pace", "200ms"}, {"TMPDIR=" + temporary});
    for (int i = 0; i < 1'000 && read_file(shown).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(std::filesystem::is_empty(temporary)) << "it plays";
    ::kill(story, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(story, &status, 0), story);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << signal << " " << status;
    EXPECT_TRUE(std::filesystem::is_empty(temporary)) << signal;
  }
}

TEST(Commands, A_story_whose_reader_goes_ends_and_leaves_nothing_behind) {
  const auto place = base::TempFolder::make("ended");
  ASSERT_TRUE(place);
  const std::string temporary = *place / "tmp";
  std::filesystem::create_directories(temporary);
  const std::string pipe =
      "TMPDIR=" + temporary + R"( "$PARLEY_BINARY" scenario handoff --pace 2s | head -n 3; exit ${PIPESTATUS[0]})";
  const int status = std::system(("exec bash -c '" + pipe + "' > /dev/null").c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST(Commands, Who_was_not_registered_leaves_no_folder_of_tokens) {
  const Server server;
  EXPECT_EQ(run_parley(server, {"agent", "add", "a", "--profile", "mesh", "-w", "nowhere"}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(server.folder() + "/tokens"));
  ASSERT_EQ(run_parley(server, {"workspace", "create", "team"}).status, 0);
  ASSERT_EQ(run_parley(server, {"agent", "add", "a", "--profile", "mesh"}).status, 0);
  EXPECT_EQ(run_parley(server, {"agent", "add", "b", "--profile", "mesh", "-w", "nowhere"}).status, 1);
  EXPECT_TRUE(std::filesystem::exists(server.folder() + "/tokens/team/agents/a.token"));
  EXPECT_FALSE(std::filesystem::exists(server.folder() + "/tokens/nowhere"));
}

TEST(Commands, An_agent_that_has_no_role_is_told_which_there_are) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "team"}).status, 0);
  const std::string said = run_parley(server, {"agent", "add", "a", "--profile", "collab"}).out;
  EXPECT_THAT(said, HasSubstr("architect, developer, reviewer"));
  EXPECT_THAT(said, HasSubstr("parley agent change a --type ROLE"));
  EXPECT_THAT(run_parley(server, {"agent", "add", "wroker", "--profile", "supervisor"}).out,
              HasSubstr("orchestrator, "));
  for (const std::vector<std::string>& with_one :
       {std::vector<std::string>{"b", "--profile", "collab", "--type", "developer"},
        {"worker", "--profile", "supervisor"},
        {"m", "--profile", "mesh"},
        {"h", "--profile", "handoff"}}) {
    std::vector<std::string> arguments{"agent", "add"};
    arguments.insert(arguments.end(), with_one.begin(), with_one.end());
    EXPECT_THAT(run_parley(server, arguments).out, Not(HasSubstr("--type"))) << with_one.front();
  }
}

TEST(Commands, Where_there_are_several_workspaces_they_are_named) {
  const Server server;
  for (const char* name : {"one", "two"}) ASSERT_EQ(run_parley(server, {"workspace", "create", name}).status, 0);
  const Ran ran = run_parley(server, {"agent", "list"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("--workspace one, --workspace two"));
}

TEST(Commands, A_list_of_who_is_there_is_cut_off_and_goes_on) {
  const Server server;
  for (const char* name : {"one", "two"}) {
    const std::string key = server.folder() + '/' + name + ".pem";
    ASSERT_EQ(run_parley({"runner", "key", key}).status, 0);
    ASSERT_EQ(run_parley(server, {"workspace", "create", name}).status, 0);
    for (const auto& added : {std::vector<std::string>{"agent", "add", name, "--profile", "mesh"},
                              {"person", "add", name, "--role", "observer"},
                              {"runner", "add", name, "--key", key}}) {
      auto words = added;
      words.insert(words.end(), {"--workspace", "one"});
      ASSERT_EQ(run_parley(server, words).status, 0) << added.front();
    }
  }
  for (const char* verb : {"workspace", "agent", "person", "runner"}) {
    const auto list = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {verb, "list"});
      if (words.front() != "workspace") words.insert(words.end(), {"--workspace", "one"});
      return run_parley(server, words);
    };
    const Ran first = list({"--limit", "1"});
    EXPECT_THAT(first.err, HasSubstr("1 shown; for more: --after one\n")) << verb;
    const Ran rest = list({"--after", "one"});
    EXPECT_EQ(rest.err, "") << verb;
    EXPECT_THAT(rest.out, HasSubstr("two")) << verb;
    EXPECT_THAT(list({"--limit", "1", "--json"}).out, HasSubstr(R"("next":"one")")) << verb;
  }
}

// COL-09: exit status 0 where all that was waited for ended well, 1 where it did not, or has not ended yet.
TEST(Commands, Tasks_are_waited_for_extended_and_aborted) {
  const Server server;
  ASSERT_EQ(run_parley(server, {"workspace", "create", "demo"}).status, 0);
  for (const char* agent : {"dispatcher", "extractor-2"})
    ASSERT_EQ(run_parley(server, {"agent", "add", agent, "--profile", "handoff", "--type", "worker"}).status, 0);
  const auto send = [&](const std::string& as, const std::string& example, const std::string& task) {
    const Ran fresh = run_parley({"fresh", source_folder() + "/spec/profiles/handoff/examples/" + example});
    std::string text = fresh.out;
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"extractor-1", "extractor-2"}, {"task-invoices-0392", task}})
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    const std::string file = server.folder() + "/message.json";
    std::ofstream(file) << text;
    return run_parley(server, {"send", "--as", as, file});
  };
  for (const char* task : {"good", "bad"}) {
    const Ran sent = send("dispatcher", "TASK_ASSIGNMENT.json", task);
    ASSERT_EQ(sent.status, 0) << sent.out << sent.err;
  }
  const Ran early = run_parley(server, {"task", "wait", "good", "--timeout", "0s"});
  EXPECT_EQ(early.status, 1) << "it has not ended";
  EXPECT_THAT(early.out, HasSubstr("good")) << "how they stand";
  EXPECT_THAT(early.err, HasSubstr("REQUEST_TIMEOUT  not over in 0s"));
  EXPECT_THAT(run_parley(server, {"task", "wait", "good", "--timeout", "0s", "--json"}).out,
              StartsWith(R"({"error":{"code":"REQUEST_TIMEOUT",)"))
      << "as `parley wait` has it";
  const Ran unknown = run_parley(server, {"task", "wait", "good", "none"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("none"));
  const Ran completed = send("extractor-2", "TASK_COMPLETE.json", "good");
  ASSERT_EQ(completed.status, 0) << completed.out << completed.err;
  const Ran good = run_parley(server, {"task", "wait", "good"});
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_THAT(good.out, HasSubstr("completed"));
  EXPECT_EQ(run_parley(server, {"task", "wait", "good", "bad", "--until", "any"}).status, 0);
  EXPECT_EQ(run_parley(server, {"task", "abort", "bad", "--as", "extractor-2"}).status, 1) << "it is not theirs to end";
  EXPECT_EQ(run_parley(server, {"task", "abort", "bad", "--reason", "not needed", "--cleanup"}).status, 0);
  EXPECT_EQ(run_parley(server, {"task", "abort", "bad"}).status, 1) << "it is over";
  EXPECT_EQ(run_parley(server, {"task", "wait", "good", "bad"}).status, 1) << "one of them failed";
  EXPECT_EQ(run_parley(server, {"task", "extend", "bad", "1h"}).status, 1);
  EXPECT_THAT(run_parley(server, {"task", "list", "--state", "aborted"}).out, HasSubstr("bad"));
}

TEST(Commands, What_was_done_is_told_in_words) {
  const Server server;
  EXPECT_THAT(run_parley(server, {"workspace", "create", "demo"}).out, HasSubstr("demo is made.\n"));
  EXPECT_THAT(run_parley(server, {"workspace", "create", "demo"}).out, HasSubstr("demo is there already.\n"));
  const Ran shown = run_parley(server, {"workspace", "show", "demo"});
  EXPECT_THAT(shown.out, HasSubstr("profiles    all\n"));
  EXPECT_THAT(shown.out, HasSubstr("\nsettings\n  ")) << "a setting a line";
  EXPECT_THAT(run_parley(server, {"workspace", "show", "demo", "--json"}).out, HasSubstr(R"("profiles":[])"));
  ASSERT_EQ(run_parley(server, {"agent", "add", "a", "--profile", "handoff", "--type", "worker"}).status, 0);
  EXPECT_EQ(run_parley(server, {"agent", "remove", "a"}).out, "a is removed.\n");
}

// Several of each, so that frames to and from different agents mix; every answer and every ack is counted.
TEST(Commands, A_measured_load_is_whole_whatever_is_sent) {
  const Server server;
  const std::vector<std::string> several{"--producers", "3", "--consumers", "2", "--batch", "16", "--count", "3000"};
  for (const std::vector<std::string>& load : {std::vector<std::string>{},
                                               {"--contents", "remarks"},
                                               {"--contents", "work"},
                                               {"--contents", "work", "--window", "7"},
                                               {"--transport", "http"},
                                               {"--mode", "publish"}}) {
    std::vector<std::string> words{"bench", "--json"};
    words.insert(words.end(), several.begin(), several.end());
    words.insert(words.end(), load.begin(), load.end());
    const Ran ran = run_parley(server, words);
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("\"complete\":true")) << testing::PrintToString(load);
    EXPECT_THAT(ran.out, HasSubstr("\"accepted\":3000,")) << testing::PrintToString(load);
  }
}

TEST(Commands, A_doctor_who_reaches_no_server_says_so_by_its_status) {
  EXPECT_EQ(run_parley({"doctor", "--server", "http://127.0.0.1:9", "--token", "t", "--data", "/tmp"}).status, 3);
}

}  // namespace
}  // namespace parley::e2e
