// J1, J2: whom the server answers to, and whose pages may call it. Checked for every call before anything else.
#include <gtest/gtest.h>

#include "api.hpp"

namespace parley::e2e {
namespace {

struct Browser : testing::Test {
  static inline std::unique_ptr<Server> server;
  static void SetUpTestSuite() { server = std::make_unique<Server>(); }
  static void TearDownTestSuite() { server.reset(); }

  static std::vector<Call> calls(const Fields& fields) {
    const auto with = [&](const std::string& method, const std::string& target, const std::string& body = "") {
      return Call{method, target, server->admin(), body, "application/json", fields};
    };
    Call upgrade = with("GET", "/v1/workspaces/w/stream");
    for (const auto& [name, value] : Fields{{"Upgrade", "websocket"},
                                            {"Connection", "Upgrade"},
                                            {"Sec-WebSocket-Version", "13"},
                                            {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}})
      upgrade.more.emplace_back(name, value);
    return {with("GET", "/healthz"),
            with("GET", "/readyz"),
            with("GET", "/metrics"),
            with("GET", "/openapi.json"),
            with("GET", "/v1/limits"),
            with("GET", "/v1/workspaces"),
            with("POST", "/v1/workspaces", R"({"name":"made-by-a-page"})"),
            upgrade};
  }
};

TEST_F(Browser, J1_answers_to_its_own_names_alone) {
  const std::string port = std::to_string(server->port());
  const std::vector<std::string> others = {"evil.example",
                                           "127.0.0.1.evil.example:" + port,
                                           "127.0.0.1",
                                           "localhost",
                                           "127.0.0.1:1",
                                           "localhost.evil:" + port,
                                           "0.0.0.0:" + port,
                                           "127.0.0.1:" + port + ".",
                                           "user@127.0.0.1:" + port,
                                           ""};
  for (const std::string& host : others)
    for (const Call& one : calls({{"Host", host}})) {
      const Answer answer = call(*server, one);
      EXPECT_TRUE(answer.status == 421 || answer.status == 400) << host << ' ' << one.target << ' ' << answer.status;
    }
  for (const std::string& host : {"127.0.0.1:" + port, "localhost:" + port, "LocalHost:" + port})
    EXPECT_EQ(call(*server, {"GET", "/healthz", "", "", "", {{"Host", host}}}).status, 200) << host;
  for (const std::string head :
       {"GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:1\r\nHost: 127.0.0.1:1\r\n\r\n"})
    EXPECT_EQ(exchange(server->port(), head).status, 400);
}

TEST_F(Browser, J1_answers_to_pages_of_its_own_alone) {
  const std::string port = std::to_string(server->port());
  const std::vector<std::string> others = {"null",
                                           "http://evil.example",
                                           "http://127.0.0.1:1",
                                           "file://",
                                           "http://localhost.evil:" + port,
                                           "https://127.0.0.1:" + port,
                                           "http://127.0.0.1:" + port + ".evil"};
  for (const std::string& origin : others)
    for (const Call& one : calls({{"Origin", origin}})) {
      const Answer answer = call(*server, one);
      EXPECT_EQ(answer.status, 403) << origin << ' ' << one.target;
      EXPECT_EQ(answer.reply.field("Access-Control-Allow-Origin"), "");
    }
  EXPECT_EQ(call(*server, {"GET", "/healthz", "", "", "", {{"Origin", "http://127.0.0.1:" + port}}}).status, 200);
}

TEST_F(Browser, Nothing_was_done_for_them) {
  EXPECT_EQ(get(*server, "/v1/workspaces", server->admin()).root().find("items").size(), 0u);
}

// J2, J3: a page of one's own machine, without the token, changes nothing; simple requests do not either.
TEST_F(Browser, J3_a_simple_request_changes_nothing) {
  for (const std::string type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}) {
    EXPECT_EQ(call(*server, {"POST", "/v1/workspaces", "", R"({"name":"simple"})", type}).status, 401);
    EXPECT_EQ(call(*server, {"POST", "/v1/workspaces", server->admin(), R"({"name":"simple"})", type}).status, 415);
  }
  EXPECT_EQ(call(*server, {"GET", "/v1/workspaces?token=" + server->admin()}).status, 401);
  EXPECT_EQ(call(*server, {"OPTIONS", "/v1/workspaces"}).status, 401);
}

}  // namespace
}  // namespace parley::e2e
