// F1, F3: texts that are no JSON, and texts over a limit, as messages: refused, and nothing is left behind.
#include <gtest/gtest.h>

#include <filesystem>

#include "api.hpp"
#include "base/utf8_check.hpp"

namespace parley::e2e {
namespace {

namespace fs = std::filesystem;

struct Hostile : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline std::string workspace, token;

  static void SetUpTestSuite() {
    server = std::make_unique<Server>();
    workspace = make_workspace(*server, "hostile", R"(,"validation":"lenient")");
    token = make_agent(*server, workspace, "architect-main", "collab", "architect");
    make_agent(*server, workspace, "developer-01", "collab", "developer");
  }
  static void TearDownTestSuite() { server.reset(); }

  static std::uint64_t head() { return get(*server, workspace, server->admin()).number("/head"); }
  static Answer send(const std::string& body, const std::string& type = "application/json") {
    return post_as(body, type);
  }
  static Answer post_as(const std::string& body, const std::string& type) {
    return call(*server, {"POST", workspace + "/messages", token, body, type});
  }
};

// COR-04
TEST_F(Hostile, JSONTestSuite_is_refused_over_HTTP_and_WebSocket) {
  const char* const shared = std::getenv("PARLEY_SHARED");
  const fs::path folder =
      fs::path(shared && *shared ? shared : source_folder() + "/../shared") / "data/json-test-suite/test_parsing";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there: the suite is not part of the repository";
  const std::uint64_t before = head();
  Socket socket(server->port(), workspace + "/stream");
  socket.send(R"({"id":1,"op":"hello","token":")" + token + "\"}");
  ASSERT_TRUE(socket.next());
  int refused = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("n_")) continue;
    const std::string bytes = read_file(entry.path());
    const Answer answer = send(bytes);
    EXPECT_EQ(answer.status, 400) << name << ' ' << answer.body;
    ++refused;
    if (!base::is_utf8(bytes)) continue;  // the socket itself is closed, with 1007: stream_test.cpp
    // Inside a frame it could close the array and begin what is JSON after all; whole, it is no frame.
    socket.send(bytes);
    const auto result = socket.next();
    ASSERT_TRUE(result) << name;
    EXPECT_TRUE(result->starts_with(R"({"op":"result","re":0,"error":)")) << name << ' ' << *result;
  }
  EXPECT_GE(refused, 180);
  EXPECT_EQ(head(), before);
  socket.send(R"({"id":2,"op":"credit","n":1})");
  EXPECT_EQ(socket.next(), R"({"op":"result","re":2,"results":[{"status":"done"}]})");
}

TEST_F(Hostile, Limits_hold_at_their_edge) {
  const std::uint64_t before = head();
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto message = [&](std::size_t depth) { return R"({"message_type":)" + nested(depth) + '}'; };
  EXPECT_EQ(send(message(63)).code(), "TYPE_UNKNOWN");
  EXPECT_EQ(send(message(64)).code(), "BAD_JSON");
  EXPECT_EQ(send("[" + message(63) + "]").text("/0/error/code"), "TYPE_UNKNOWN");  // the same in a batch
  EXPECT_EQ(send("[" + message(64) + "]").text("/0/error/code"), "BAD_JSON");
  EXPECT_EQ(send(message(64), "application/x-ndjson").text("/0/error/code"), "BAD_JSON");
  EXPECT_EQ(send(R"({"a":1,"a":2})").code(), "BAD_JSON");
  EXPECT_EQ(send(R"({"message_type":1e400})").code(), "BAD_JSON");
  EXPECT_EQ(send("\xEF\xBB\xBF{}").code(), "BAD_JSON");
  EXPECT_EQ(send(R"({"message_type":"\ud800"})").code(), "BAD_JSON");
  std::string large = status_query("architect-main", "developer-01");
  large.insert(large.find(R"("scope")"), R"("x":")" + std::string(2 << 20, 'x') + "\",");
  EXPECT_EQ(send(large).code(), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(send("[" + large + "]").text("/0/error/code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(send(large, "application/x-ndjson").text("/0/error/code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(get(*server, "/v1/workspaces/" + std::string(9000, 'a'), token).status, 414);
  EXPECT_EQ(call(*server, {"GET", workspace, token, "", "", {{"X", std::string(40'000, 'x')}}}).status, 431);
  EXPECT_EQ(head(), before);
}

// D11: a batch that reaches thousands of agents does not keep others waiting, and is one call all the same.
TEST_F(Hostile, A_batch_of_broadcasts_lets_others_between) {
  const std::string crowd = make_workspace(*server, "crowd");
  const std::vector<std::string> tokens = make_crowd(*server, crowd, 400);
  ASSERT_EQ(tokens.size(), 400u);
  const auto broadcast = [](const std::string& from) { return notification(from, "broadcast"); };
  std::string batch = broadcast("agent-0");
  for (int i = 1; i < 500; ++i) batch += (i % 100 == 0 ? ",{}," : ",") + broadcast("agent-0");

  const std::string target = crowd + "/messages";
  const auto newest = [&] { return get(*server, crowd, server->admin()).number("/head"); };
  const std::uint64_t before = newest();
  Wire wire(server->port());
  wire.write(bytes_of(*server, {"POST", target, tokens[0], '[' + batch + ']'}));
  wire.write(
      bytes_of(*server, {"POST", target, tokens[0], broadcast("agent-0")}));  // of the same connection: behind it
  while (newest() == before) continue;
  const Answer other = post(*server, target, tokens[1], broadcast("agent-1"));
  ASSERT_EQ(other.status, 202) << other.body;

  std::string rest;
  const Reply first = read_reply(wire, rest), second = read_reply(wire, rest);
  ASSERT_EQ(first.status, 207) << first.body;
  ASSERT_EQ(second.status, 202) << second.body;
  const auto results = json::Document::parse(first.body, {.bytes = 1 << 22});
  ASSERT_TRUE(results);
  ASSERT_EQ(results->root().size(), 504u);
  std::uint64_t last = 0;
  std::size_t refused = 0;
  for (const json::Value result : results->root().elements()) {
    const auto offset = result.find("offset").if_uint();
    refused += !offset;
    if (offset) {
      EXPECT_GT(*offset, last);
    }
    last = offset.value_or(last);
  }
  EXPECT_EQ(refused, 4u);
  EXPECT_LT(other.number("/offset"), last);
  EXPECT_GT(json::Document::parse(second.body)->root().find("offset").if_uint(), last);
}

}  // namespace
}  // namespace parley::e2e
