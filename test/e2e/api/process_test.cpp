// The process: stopping when told to, and being the same after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <optional>
#include <thread>

#include "api.hpp"
#include "base/time.hpp"

namespace parley::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// COR-01: one binary, nothing else to install; it stops in order and goes on where it was.
TEST(Process, Stops_within_5_s_of_SIGTERM_and_keeps_everything) {
  Server server;
  const std::string workspace = make_workspace(server, "demo");
  const std::string architect = make_agent(server, workspace, "architect-main", "collab", "architect");
  const std::string developer = make_agent(server, workspace, "developer-01", "collab", "developer");
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(uuid());
    ASSERT_EQ(
        post(server, workspace + "/messages", architect, status_query("architect-main", "developer-01", ids.back()))
            .status,
        202);
  }
  const std::string inbox = workspace + "/agents/developer-01/inbox";
  const Answer taken = post(server, inbox + "/take", developer, R"({"max":2,"lease":"1h"})");
  ASSERT_EQ(post(server, inbox + "/ack", developer,
                 R"({"delivery_ids":[")" + taken.text("/deliveries/0/delivery_id") + "\"]}")
                .status,
            200);
  const std::string log = get(server, workspace + "/log?max=1000", server.admin()).body;

  // Under way while it stops: a stream, an idle connection, a call that waits.
  Socket socket(server.port(), workspace + "/stream");
  socket.send(R"({"id":1,"op":"hello","token":")" + architect + "\"}");
  ASSERT_TRUE(socket.next());
  Wire idle(server.port());
  Answer waited;
  std::thread waiter(
      [&] { waited = post(server, workspace + "/agents/architect-main/inbox/take", architect, R"({"wait":"60s"})"); });
  std::this_thread::sleep_for(milliseconds(200));
  const Server::Stopped stopped = server.stop();
  waiter.join();
  EXPECT_EQ(stopped.status, 0);
  EXPECT_LT(stopped.took, seconds(5));
  EXPECT_EQ(socket.closed(), 1001);
  EXPECT_EQ(waited.status, 200);
  EXPECT_EQ(waited.body, R"({"deliveries":[]})");

  server.start();
  EXPECT_EQ(get(server, workspace, architect).text("/name"), "demo");
  const std::string after = get(server, workspace + "/log?max=1000", server.admin()).body;
  EXPECT_EQ(after.substr(0, log.size() - 20), log.substr(0, log.size() - 20));  // but for `next`
  for (const std::string& id : ids) {
    const Answer found = get(server, workspace + "/messages/" + id, architect);
    EXPECT_EQ(found.text("/message/message_id"), id);
  }
  EXPECT_EQ(get(server, inbox, developer).root().find("items").size(), 19u);
  EXPECT_EQ(get(server, workspace + "/messages/" + ids[0], architect).text("/receipts/0/state"), "acked");
  EXPECT_EQ(
      post(server, workspace + "/messages", architect, status_query("architect-main", "developer-01", ids[0])).code(),
      "ID_CONFLICT");  // R8: ids are remembered
}

// C2: what the last start found of the time before it.
base::Duration downtime_of(const Server& server) {
  constexpr std::string_view key = R"("downtime":")";
  const std::string log = server.log();
  const std::size_t at = log.rfind(key);
  if (at == log.npos) return base::Duration::max();
  const std::string_view rest = std::string_view(log).substr(at + key.size());
  return base::parse_duration(rest.substr(0, rest.find('"'))).value_or(base::Duration::max());
}

// C2: leases move by the time that a server was away, not by that in which nobody asked it for anything.
TEST(Process, That_it_was_idle_before_it_was_stopped_is_no_downtime) {
  Server server;
  make_workspace(server, "demo");
  std::this_thread::sleep_for(seconds(5));
  EXPECT_EQ(server.stop().status, 0);
  server.start();
  EXPECT_LT(downtime_of(server), seconds(4)) << server.log();
}

// COR-13: at `debug` the log has each call and frame, and never a token, a query, or what a message says (I3).
TEST(Process, Tells_at_debug_what_became_of_each_call_and_frame) {
  using testing::ContainsRegex;
  Server server({"--log-level", "debug"});
  const std::string workspace = make_workspace(server, "demo");
  const std::string architect = make_agent(server, workspace, "architect-main", "collab", "architect");
  const std::string developer = make_agent(server, workspace, "developer-01", "collab", "developer");
  const std::string query = status_query("architect-main", "developer-01");
  ASSERT_EQ(post(server, workspace + "/messages", architect, query).status, 202);
  ASSERT_EQ(get(server, "/v1/nothing?token=" + architect, architect).status, 404);
  ASSERT_EQ(get(server, "/v1/limits", "pt_wrong").status, 401);
  ASSERT_EQ(post(server, "/v1/workspaces", server.admin(), std::string(70'000, ' ')).status, 413);
  ASSERT_EQ(call(server, {"GET", "/v1/people", "", "", "", {{"Host", "proxy.example"}}}).status, 421);
  ASSERT_EQ(call(server, {"GET", "/v1/stream", "", "", "", {{"Origin", "http://evil.example"}}}).status, 403);
  std::optional<Socket> socket(std::in_place, server.port(), workspace + "/stream");
  socket->send(R"({"id":1,"op":"hello","credit":9,"token":")" + developer + "\"}");
  ASSERT_TRUE(socket->next());
  ASSERT_TRUE(socket->next());  // the delivery
  socket->send(R"({"id":2,"op":"dance"})");
  ASSERT_TRUE(socket->next());
  socket->send("{");
  ASSERT_TRUE(socket->next());
  socket.reset();
  server.stop();
  const std::string log = server.log();
  for (
      const std::string line :
      {R"("event":"call","connection":[0-9]+,"method":"POST","route":"/v1/workspaces/.workspace./messages","status":202,)"
       R"("agent":"architect-main","milliseconds":[0-9.]+})",
       R"("method":"GET","route":"/v1/nothing","status":404,"agent":"architect-main")",
       R"("method":"GET","route":"/v1/limits","status":401,"agent":"")",
       R"("method":"POST","route":"/v1/workspaces","status":413,"agent":"admin")",
       R"("method":"GET","route":"/v1/people","status":421,"agent":"")",
       R"("method":"GET","route":"/v1/stream","status":403,"agent":"")",
       R"("event":"frame","connection":[0-9]+,"op":"hello","id":1,"outcome":"done","agent":"developer-01","milliseconds")",
       R"("event":"delivered","connection":[0-9]+,"agent":"developer-01","deliveries":1)",
       R"("op":"dance","id":2,"outcome":"BAD_FRAME")", R"("op":"","id":0,"outcome":"BAD_JSON")",
       R"("event":"stream_closed","connection":[0-9]+,"agent":"developer-01","code":1006)"})
    EXPECT_THAT(log, ContainsRegex(line));
  for (const std::string& secret :
       {architect, developer, server.admin(), std::string("pt_wrong"), std::string("scope")})
    EXPECT_EQ(log.find(secret), log.npos) << secret;
}

// COR-02, D3: what was answered is on disk, whatever becomes of the process.
TEST(Process, What_was_answered_is_there_after_a_kill) {
  Server server;
  const std::string workspace = make_workspace(server, "demo");
  const std::string architect = make_agent(server, workspace, "architect-main", "collab", "architect");
  make_agent(server, workspace, "developer-01", "collab", "developer");
  std::vector<std::string> ids;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) {
      const std::string id = uuid();
      if (post(server, workspace + "/messages", architect, status_query("architect-main", "developer-01", id)).status ==
          202)
        ids.push_back(id);
    }
    server.kill();
    server.start();
  }
  ASSERT_EQ(ids.size(), 50u);
  for (const std::string& id : ids) EXPECT_EQ(get(server, workspace + "/messages/" + id, architect).status, 200);
}

// D10
TEST(Process, Its_admin_token_is_its_owners_alone) {
  Server server;
  struct stat status{};
  ASSERT_EQ(::stat((server.folder() + "/admin.token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_GE(server.admin().size(), 64u);
}

// E2: a request that never ends, or never begins, holds nobody up.
TEST(Process, Slow_requests_hold_nobody_up) {
  Server server;
  std::vector<std::unique_ptr<Wire>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Wire>(server.port()));
    slow.back()->write(i % 2 == 0 ? "GET /healthz HTTP/1.1\r\nHost: " : "POST /v1/workspaces HTTP/1.1\r\n");
  }
  for (int i = 0; i < 20; ++i) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(get(server, "/healthz", "").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(500));
  }
}

}  // namespace
}  // namespace parley::e2e
