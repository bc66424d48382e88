// `parley request` against a server that runs: answered, progress, over a restart, timed out, refused, recipient gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include "api.hpp"
#include "command.hpp"

namespace parley::e2e {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class Requests : public testing::Test {
 protected:
  Requests() {
    make_workspace(server, "team");
    for (const char* id : {"developer-agent-001", "github-agent-001", "repo-agent-nodejs-001"})
      EXPECT_EQ(run_parley(server, {"agent", "add", id, "--profile", "mesh", "--type", "developer-agent"}).status, 0);
  }

  std::string token(const std::string& id) const {
    std::string text = read_file(server.folder() + "/tokens/team/agents/" + id + ".token");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  std::string file(const std::string& text) const {
    const std::string name = server.folder() + "/" + uuid() + ".json";
    std::ofstream(name) << text;
    return name;
  }
  static std::string message(const std::string& id, const std::string& from, const std::string& to,
                             const std::string& type, const std::string& content, const std::string& more = "") {
    return R"({"id": ")" + id + R"(", "timestamp": ")" + now_text() + R"(", "from": ")" + from + R"(", "to": )" + to +
           R"(, "messageType": ")" + type + R"(", "priority": "normal", "content": )" + content + more + "}";
  }
  std::string question(const std::string& id, const std::string& to = R"("github-agent-001")") const {
    return file(message(id, "developer-agent-001", to, "request", R"({"action": "look", "parameters": {}})"));
  }
  static std::string answer(const std::string& request, const std::string& from = "github-agent-001") {
    return message(uuid(), from, R"("developer-agent-001")", "response", R"({"success": true, "data": {"found": 7}})",
                   R"(, "parentMessageId": ")" + request + '"');
  }

  std::future<Ran> ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"request", "--as", "developer-agent-001"});
    return std::async(std::launch::async, [this, words] { return run_parley(server, words); });
  }
  void send(const std::string& from, const std::string& text) {
    const Answer sent = post(server, "/v1/workspaces/team/messages", token(from), text);
    ASSERT_EQ(sent.status, 202) << sent.body;
  }
  void await_message(const std::string& id) {
    for (int i = 0; i < 1'000; ++i) {
      if (get(server, "/v1/workspaces/team/messages/" + id, server.admin()).status == 200) return;
      std::this_thread::sleep_for(10ms);
    }
    FAIL() << "it was never sent";
  }

  Server server;
};

// MSH-03: progress meanwhile, then the answer; read here, it is not delivered any more.
TEST_F(Requests, MSH_03_an_answer_is_printed_with_what_came_before_it) {
  const std::string id = uuid();
  auto asked = ask({question(id)});
  await_message(id);
  send("github-agent-001", message(uuid(), "github-agent-001", R"("developer-agent-001")", "notification",
                                   R"({"text": "half way", "status": {"state": "working", "progress": 50}})",
                                   R"(, "parentMessageId": ")" + id + '"'));
  send("repo-agent-nodejs-001", answer(id, "repo-agent-nodejs-001"));  // nobody asked it
  send("github-agent-001", answer(id));
  const Ran ran = asked.get();
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("answer from github-agent-001"));
  EXPECT_THAT(ran.out, HasSubstr("\"found\": 7"));
  EXPECT_THAT(ran.out, Not(HasSubstr("repo-agent")));
  EXPECT_THAT(ran.err, HasSubstr("half way"));
  const Ran inbox = run_parley(server, {"inbox", "--as", "developer-agent-001", "--json"});
  EXPECT_THAT(inbox.out, Not(HasSubstr("github-agent-001"))) << "what was read is not delivered again";
  EXPECT_THAT(inbox.out, HasSubstr("repo-agent-nodejs-001")) << "what was not read is";
}

// MSH-03: killed between the question and the answer, started again elsewhere; the wait goes on.
TEST_F(Requests, MSH_03_the_wait_outlives_a_restart_of_the_server) {
  const std::string id = uuid();
  auto asked = ask({question(id), "--json", "--keep"});
  await_message(id);
  server.kill();
  server.start();
  send("github-agent-001", answer(id));
  const Ran ran = asked.get();
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out;
  const auto told = json::Document::parse(ran.out);
  ASSERT_TRUE(told) << ran.out;
  EXPECT_EQ(told->root().find("outcome").if_string(), "answered");
  EXPECT_EQ(told->root().at_pointer("/answers/0/message/content/data/found").if_uint(), 7u) << ran.out;
  EXPECT_THAT(run_parley(server, {"inbox", "--as", "developer-agent-001", "--json"}).out, HasSubstr("github-agent-001"))
      << "--keep";
  const Ran again = ask({question(id), "--json"}).get();
  EXPECT_EQ(again.status, 1) << "the same id, other content";
}

// MSH-03: the same message again waits for the same answer.
TEST_F(Requests, MSH_03_giving_up_ends_nothing_and_asking_again_goes_on) {
  const std::string id = uuid(), same = question(id);
  const Ran gave_up = ask({same, "--timeout", "1s", "--json"}).get();
  EXPECT_EQ(gave_up.status, 1);
  EXPECT_THAT(gave_up.out, HasSubstr(R"("outcome":"gave_up")"));
  EXPECT_THAT(gave_up.out, HasSubstr("REQUEST_TIMEOUT"));
  send("github-agent-001", answer(id));
  const Ran ran = ask({same}).get();
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"found\": 7"));
}

// MSH-03: removed before it answered; of two the other still answers, and the status says that one did not.
TEST_F(Requests, MSH_03_a_recipient_that_is_removed_ends_the_wait_at_once) {
  const std::string id = uuid(), both = uuid();
  auto asked = ask({question(id)});
  auto asked_both = ask({question(both, R"(["github-agent-001", "repo-agent-nodejs-001"])"), "--json"});
  await_message(id);
  await_message(both);
  ASSERT_EQ(run_parley(server, {"agent", "remove", "github-agent-001"}).status, 0);
  const Ran ran = asked.get();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("'github-agent-001' was removed before it answered"));
  send("repo-agent-nodejs-001", answer(both, "repo-agent-nodejs-001"));
  const Ran other = asked_both.get();
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("repo-agent-nodejs-001"));
  EXPECT_THAT(other.out, HasSubstr("was removed before it answered"));
}

// MSH-03: nobody reads any more what has expired: the wait is over long before the answer's 30 s are.
TEST_F(Requests, MSH_03_a_request_that_expires_unread_ends_the_wait) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = ask({file(message(uuid(), "developer-agent-001", R"("github-agent-001")", "request",
                                    R"({"action": "look", "parameters": {}})", R"(, "ttl": 1)"))})
                      .get();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("the request ended unread at 'github-agent-001'"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 25s);
  EXPECT_THAT(run_parley(server, {"inbox", "--as", "developer-agent-001", "--json"}).out, Not(HasSubstr("expired")))
      << "what the notice says was told here";
}

// MSH-03: taken back elsewhere, there is nothing to wait for.
TEST_F(Requests, MSH_03_a_request_that_is_rescinded_ends_the_wait) {
  const std::string id = uuid();
  auto asked = ask({question(id)});
  await_message(id);
  ASSERT_EQ(run_parley(server, {"rescind", id, "--as", "developer-agent-001"}).status, 0);
  const Ran ran = asked.get();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("TAKEN_BACK"));
}

// PIP-08: the server's own end of it, after the time that the message states.
TEST_F(Requests, PIP_08_a_request_that_nobody_answers_is_no_success) {
  for (const char* id : {"orchestrator-agent", "developer-a"})
    ASSERT_EQ(run_parley(server, {"agent", "add", id, "--profile", "pipeline"}).status, 0);
  const std::string asks = file(R"({"protocol_version": "1.0.0", "message_id": "msg-1-orchestrator-agent-1",
    "timestamp": ")" + now_text() +
                                R"(", "from_agent": "orchestrator-agent", "to_agent": "developer-a",
    "message_type": "request", "card_id": "card-1", "priority": "medium", "data": {"request_type": "look"},
    "metadata": {"requires_response": true, "timeout_seconds": 1}})");
  const Ran ran = run_parley(server, {"request", asks, "--as", "orchestrator-agent"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("no answer came from 'developer-a'"));
  EXPECT_THAT(run_parley(server, {"inbox", "--as", "orchestrator-agent", "--json"}).out, Not(HasSubstr("parley")))
      << "what the server says of it was told here";
}

// MSH-11: an answer that is an error is printed, and is none; refused is what nobody is asked by.
TEST_F(Requests, MSH_11_an_error_is_no_success_and_what_asks_nothing_is_refused) {
  const std::string id = uuid();
  auto asked = ask({question(id)});
  await_message(id);
  send("github-agent-001",
       message(uuid(), "github-agent-001", R"("developer-agent-001")", "error",
               R"({"error": {"code": "REPOSITORY_NOT_FOUND", "message": "no such repository", "recoverable": false}})",
               R"(, "parentMessageId": ")" + id + '"'));
  const Ran ran = asked.get();
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("REPOSITORY_NOT_FOUND"));

  const Ran nobody = ask({question(uuid(), R"("nobody")")}).get();
  EXPECT_EQ(nobody.status, 1);
  EXPECT_THAT(nobody.err, HasSubstr("RECIPIENT_UNKNOWN"));
  const Ran tells = ask({file(message(uuid(), "developer-agent-001", R"("github-agent-001")", "notification",
                                      R"({"text": "done", "status": {"state": "done"}})"))})
                        .get();
  EXPECT_EQ(tells.status, 1);
  EXPECT_THAT(tells.err, HasSubstr("asks for no answer"));
  const Ran many = ask({file("[]")}).get();
  EXPECT_EQ(many.status, 1);
  EXPECT_THAT(many.err, HasSubstr("one message"));
}

}  // namespace
}  // namespace parley::e2e
