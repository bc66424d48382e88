// The gateway as the loop calls it, without a socket: what one turn brings comes at one time.
#include <gtest/gtest.h>

#include "base/test_clock.hpp"
#include "broker/broker.hpp"
#include "gateway/http/gateway.hpp"
#include "journal/memory/memory_journal.hpp"
#include "profile/rulesets.hpp"

namespace parley::gateway::http {
namespace {

struct PollsTest : testing::Test {
  base::TestClock clock;
  base::TestRandom random;
  observe::Metrics metrics;
  std::unique_ptr<observe::Log> log =
      observe::Log::to_function(clock, observe::Level::debug, [this](std::string_view line) { note(line); });
  std::size_t refused = 0;  // as UNAUTHENTICATED
  const profile::Rulesets rulesets = profile::built_in();
  std::unique_ptr<journal::Journal> journal = journal::memory::open();
  broker::Broker broker{
      broker::Parts{clock, random, *journal, [this](std::string_view name) { return rulesets.find(name).get(); }}, {}};
  net::Loop loop{clock, metrics, *log, net::LoopSettings()};
  Gateway gateway{broker.port(), loop, metrics, clock, *log};
  const broker::Caller admin{broker::Caller::Kind::admin, {}, {}, {}, {}, {}};
  std::string ann, bob;  // tokens

  void SetUp() override {
    ASSERT_TRUE(broker.start());
    ASSERT_TRUE(broker.port().registry.create_workspace(admin, json::Document::parse(R"({"name":"w"})")->root()));
    ann = token_of("ann"), bob = token_of("bob");
  }
  std::string token_of(const std::string& agent) {
    const auto body = json::Document::parse(R"({"agent_id":")" + agent + R"(","profile":"mesh"})");
    const auto answer = broker.port().registry.register_agent(admin, "w", body->root());
    return std::string(json::Document::parse(answer.value().json)->root().find("token").as_string());
  }
  void note(std::string_view line) {
    if (line.contains(R"("status":401)")) ++refused;
    EXPECT_FALSE(line.contains(R"("level":"error")")) << line;
  }
  void call(const std::string& token, const char* path, std::string_view body) {
    const std::string bearer = "Bearer " + token;
    net::http::Head head;
    head.method = "POST";
    head.path = path;
    head.fields = {{"Authorization", bearer}, {"Content-Type", "application/json"}};
    head.content_length = body.size();
    const net::RequestId id{net::ConnectionId(1), ++calls_};
    ASSERT_TRUE(std::holds_alternative<net::AcceptBody>(gateway.on_head(id, head)));
    gateway.on_request(id, head, body);
  }
  void wait_for_mail() { call(bob, "/v1/workspaces/w/agents/bob/inbox/take", R"({"wait":"20s"})"); }
  void send() {
    call(ann, "/v1/workspaces/w/messages",
         R"({"id":"00000000-0000-4000-8000-000000000001","from":"ann","to":"bob","timestamp":")" +
             base::to_rfc3339(clock.wall()) +
             R"(","messageType":"request","priority":"normal","content":{"action":"look","parameters":{}}})");
  }

 private:
  std::uint64_t calls_ = 0;
};

TEST_F(PollsTest, A_take_that_waits_is_given_what_comes) {
  wait_for_mail();
  send();
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(broker.counts().offered, 1u);
}

// I4: also where the token is revoked, and mail comes, in the turn in which it began to wait.
TEST_F(PollsTest, A_take_that_waits_is_given_nothing_once_its_token_is_revoked) {
  wait_for_mail();
  ASSERT_TRUE(broker.port().registry.rotate_token(admin, "w", "agents", "bob", {}));
  send();
  ASSERT_TRUE(broker.turn());
  EXPECT_EQ(broker.counts().offered, 0u);
}

// I4, D11: some at a time, and none later because others have ended.
TEST_F(PollsTest, Takes_that_wait_end_within_a_second_of_their_token_however_many_they_are) {
  constexpr std::size_t waits = 200;
  for (std::size_t i = 0; i < waits; ++i) wait_for_mail();
  ASSERT_TRUE(broker.port().registry.rotate_token(admin, "w", "agents", "bob", {}));
  for (std::size_t before = 0; clock.passed < std::chrono::seconds(1); before = refused) {
    clock.passed += std::chrono::milliseconds(50);
    loop.poll();
    ASSERT_TRUE(broker.turn());
    EXPECT_LE(refused - before, waits / 4);
  }
  EXPECT_EQ(refused, waits);
}

}  // namespace
}  // namespace parley::gateway::http
