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

// A page of an origin that was allowed calls as any client does: the browser asks first, and is shown the answer.
TEST(BrowserOrigins, J2_a_page_that_is_allowed_may_call_and_read_and_no_other) {
  const Server server({"--allow-origin", "http://app.example:3000", "--allow-host", "parley.example"});
  const Fields asks = {{"Origin", "http://app.example:3000"},
                       {"Access-Control-Request-Method", "POST"},
                       {"Access-Control-Request-Headers", "authorization,content-type"}};
  const Answer preflight = call(server, {"OPTIONS", "/v1/workspaces", "", "", "", asks});
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.reply.field("Access-Control-Allow-Origin"), "http://app.example:3000");
  EXPECT_NE(preflight.reply.field("Access-Control-Allow-Headers").find("Authorization"), std::string::npos);
  EXPECT_NE(preflight.reply.field("Access-Control-Allow-Methods").find("PATCH"), std::string::npos);
  const Fields from = {{"Origin", "http://app.example:3000"}};
  for (const std::string& token : {server.admin(), std::string("wrong")}) {
    const Answer read = call(server, {"GET", "/v1/workspaces", token, "", "", from});
    EXPECT_EQ(read.reply.field("Access-Control-Allow-Origin"), "http://app.example:3000") << read.status;
    EXPECT_EQ(read.reply.field("Vary"), "Origin");
  }
  EXPECT_EQ(call(server, {"POST", "/v1/workspaces", server.admin(), R"({"name":"w"})", "application/json", from})
                .reply.field("Access-Control-Allow-Origin"),
            "http://app.example:3000");
  const std::string json = "application/json";
  const std::vector<std::pair<int, Call>> refused = {
      {400, {"DELETE", "/v1/workspaces/w/agents/a", server.admin(), "{}", json, from}},
      {400, {"GET", "/v1/workspaces?limit=many", server.admin(), "", "", from}},
      {401, {"GET", "/v1/workspaces", "", "", "", from}},
      {404, {"GET", "/v1/nothing", server.admin(), "", "", from}},
      {405, {"PUT", "/v1/workspaces", server.admin(), "", "", from}},
      {413, {"POST", "/v1/workspaces", server.admin(), std::string(70'000, ' '), json, from}},
      {415, {"POST", "/v1/workspaces", server.admin(), "name: w", "text/yaml", from}},
      {426, {"GET", "/v1/workspaces/w/stream", "", "", "", from}},
  };
  for (const auto& [status, one] : refused) {
    const Answer answer = call(server, one);
    EXPECT_EQ(answer.status, status) << one.target;
    EXPECT_EQ(answer.reply.field("Access-Control-Allow-Origin"), "http://app.example:3000") << status;
  }
  const std::string head =
      "POST /v1/workspaces HTTP/1.1\r\nHost: parley.example\r\nOrigin: http://app.example:3000\r\n"
      "Authorization: Bearer " +
      server.admin() + "\r\nContent-Type: application/json\r\n";
  const auto chunked = exchange(server.port(), head + "Transfer-Encoding: chunked\r\n\r\n12000\r\n");
  EXPECT_EQ(chunked.status, 413);
  EXPECT_EQ(chunked.field("Access-Control-Allow-Origin"), "http://app.example:3000");
  const Fields stranger = {{"Origin", "http://evil.example"}, {"Access-Control-Request-Method", "POST"}};
  EXPECT_EQ(call(server, {"OPTIONS", "/v1/workspaces", "", "", "", stranger}).status, 403);
  EXPECT_EQ(call(server, {"GET", "/v1/workspaces", server.admin()}).reply.field("Access-Control-Allow-Origin"), "");
}

TEST(BrowserOrigins, J1_a_name_that_was_allowed_is_answered_to_at_any_port) {
  const Server server({"--allow-host", "parley.example"});
  for (const std::string host : {"parley.example", "parley.example:8443", "PARLEY.example:80"})
    EXPECT_EQ(call(server, {"GET", "/healthz", "", "", "", {{"Host", host}}}).status, 200) << host;
  for (const std::string host : {"parley.example:", "parley.example:x", "parley.example.evil:80", "evil.example:80"})
    EXPECT_NE(call(server, {"GET", "/healthz", "", "", "", {{"Host", host}}}).status, 200) << host;
}

}  // namespace
}  // namespace parley::e2e
