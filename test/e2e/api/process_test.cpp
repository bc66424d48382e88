// The process: stopping when told to, and being the same after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <thread>

#include "api.hpp"

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
