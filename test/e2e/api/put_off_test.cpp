// D11: messages that reach thousands of agents wait for later turns. Who sent them is answered as if they had not; and
// others do not feel it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "api.hpp"
#include "base/clock.hpp"
#include "flood.hpp"

namespace parley::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int crowd_size = 1'500;

struct PutOff : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline std::string workspace, messages;
  static inline std::vector<std::string> tokens;  // of agent-0, agent-1, …
  static inline int agents = 0;

  static void SetUpTestSuite() {
    server = std::make_unique<Server>();
    workspace = make_workspace(*server, "crowd", R"(,"settings":{"mailbox_messages":1000000,"rate_messages":0})");
    messages = workspace + "/messages";
    tokens = make_crowd(*server, workspace, crowd_size);
  }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override { ASSERT_EQ(tokens.size(), static_cast<std::size_t>(crowd_size)); }

  // An agent whose mailbox is empty so far.
  static std::pair<std::string, std::string> fresh() {
    const std::string id = "fresh-" + std::to_string(++agents);
    return {id, make_agent(*server, workspace, id, "mesh", "")};
  }
  static std::string post_of(const std::string& target, const std::string& token, const std::string& body) {
    return bytes_of(*server, {"POST", target, token, body});
  }
  static Answer look_at(const std::string& message, const std::string& token) {
    return get(*server, messages + '/' + message, token);
  }
  // Of one agent: so many connections, each posts so many messages to everybody at a time.
  static std::unique_ptr<Flood> flood(std::size_t agent, int connections, int count, std::size_t bytes = 0) {
    return std::make_unique<Flood>(*server, connections, [=] {
      return post_of(messages, tokens[agent], broadcasts("agent-" + std::to_string(agent), count, bytes));
    });
  }
  // The same message to everybody, again and again: soon done, and yet it has been looked at for all of them.
  static std::unique_ptr<Flood> flood_of_one(int connections) {
    const std::string same = post_of(messages, tokens[0], notification("agent-0", "broadcast"));
    return std::make_unique<Flood>(*server, connections, [same] { return same; });
  }
  static json::Document parsed(std::string_view text) {
    return json::Document::parse(text, {.bytes = 8 << 20}).value_or(json::Document::parse("null").value());
  }
  // How many messages an answer to a batch says are accepted.
  static std::size_t accepted(json::Value results) {
    std::size_t count = 0;
    for (const json::Value result : results.elements()) count += result.find("offset").if_uint().has_value();
    return count;
  }
  // Not in step with the server: what answers it at once may come before all else that a turn takes in.
  static void let_time_pass() { std::this_thread::sleep_for(milliseconds(5)); }
  static std::size_t read_bytes() {
    const std::string metrics = get(*server, "/metrics", server->admin()).body;
    const std::string name = "\nparley_network_read_bytes_total ";
    return std::stoul(metrics.substr(metrics.find(name) + name.size()));
  }
  // A flood of which every connection's first request has come in; or it is not read, and that is the server's answer.
  static std::unique_ptr<Flood> flood_that_waits(int connections, int count) {
    const std::size_t before = read_bytes();
    auto made = flood(0, connections, count);
    const auto end = steady_clock::now() + seconds(15);
    while (!made->all_sent() && steady_clock::now() < end) let_time_pass();
    const std::size_t bytes = made->bytes();
    while (read_bytes() < before + bytes && steady_clock::now() < end) let_time_pass();
    return made;
  }
  static std::vector<std::unique_ptr<Socket>> open(int count) {
    std::vector<std::unique_ptr<Socket>> sockets;
    for (int i = 0; i < count; ++i) sockets.push_back(std::make_unique<Socket>(server->port(), workspace + "/stream"));
    return sockets;
  }
  static std::string hello(const std::string& token, const std::string& more = "") {
    return R"({"id":1,"op":"hello","token":")" + token + '"' + more + '}';
  }
};

TEST_F(PutOff, What_follows_on_a_connection_is_decided_behind_a_batch) {
  const auto [me, token] = fresh();
  const std::string id = uuid();
  std::string batch = broadcasts(me, 50);
  batch.back() = ',';
  batch += notification(me, "agent-1", id) + ']';
  Wire wire(server->port());
  wire.write(post_of(messages, token, batch) + post_of(messages + '/' + id + "/rescind", token, "{}") +
             bytes_of(*server, {"GET", messages + '/' + id, token}));
  std::string rest;
  const Reply sent = read_reply(wire, rest), rescinded = read_reply(wire, rest), shown = read_reply(wire, rest);
  EXPECT_EQ(sent.status, 207);
  EXPECT_EQ(accepted(parsed(sent.body).root()), 51u) << sent.body;
  EXPECT_EQ(rescinded.status, 200) << rescinded.body;
  EXPECT_EQ(shown.status, 200) << shown.body;
  EXPECT_EQ(parsed(shown.body).root().at_pointer("/receipts/0/state").if_string(), "rescinded") << shown.body;
  EXPECT_EQ(look_at(id, token).text("/receipts/0/state"), "rescinded");
}

// Who answers a request before it acknowledges it must find its answer there when the request is over.
TEST_F(PutOff, An_ack_is_decided_behind_a_batch_of_its_connection) {
  const auto [me, token] = fresh();
  const std::string request = uuid(), last = uuid();
  ASSERT_EQ(post(*server, messages, tokens[1], notification("agent-1", me, request)).status, 202);
  const Answer taken = post(*server, workspace + "/agents/" + me + "/inbox/take", token, R"({"max":1})");
  const std::string delivery = taken.text("/deliveries/0/delivery_id");
  ASSERT_NE(delivery, "") << taken.body;

  std::string batch = broadcasts(me, 200);
  batch.back() = ',';
  batch += notification(me, "agent-1", last) + ']';
  Wire wire(server->port());
  wire.write(post_of(messages, token, batch) +
             post_of(workspace + "/agents/" + me + "/inbox/ack", token, R"({"delivery_ids":[")" + delivery + R"("]})"));
  const auto end = steady_clock::now() + seconds(30);
  while (look_at(request, token).text("/receipts/0/state") != "acked") ASSERT_LT(steady_clock::now(), end);
  EXPECT_EQ(look_at(last, token).status, 200) << "what was sent before the ack is not there yet";
  std::string rest;
  const Reply sent = read_reply(wire, rest), acked = read_reply(wire, rest);
  EXPECT_EQ(sent.status, 207);
  EXPECT_EQ(accepted(parsed(sent.body).root()), 201u) << sent.body;
  EXPECT_EQ(acked.status, 200) << acked.body;
}

TEST_F(PutOff, A_batch_of_who_says_no_more_is_accepted_whole) {
  std::vector<std::unique_ptr<Flood>> others;  // so that it takes longer than a second
  for (std::size_t i = 0; i < 8; ++i) others.push_back(flood(i, 1, 300));
  const auto [me, token] = fresh();
  Wire wire(server->port());
  wire.write(post_of(messages, token, broadcasts(me, 300)));
  wire.say_no_more();
  std::this_thread::sleep_for(milliseconds(1'500));
  others.clear();
  std::string rest;
  const Reply sent = read_reply(wire, rest);
  ASSERT_EQ(sent.status, 207) << (sent.status == 0 ? "the connection was closed without an answer" : sent.body);
  EXPECT_EQ(accepted(parsed(sent.body).root()), 300u) << sent.body;
}

TEST_F(PutOff, Small_batches_of_others_have_room_beside_large_ones_that_wait) {
  const auto [me, token] = fresh();
  const auto greedy = flood(0, 12, 950, 7'900);  // some 8 MB each
  const auto end = steady_clock::now() + seconds(3);
  for (int left = 5; left > 0; left -= greedy->all_sent() || steady_clock::now() > end) {
    const Answer sent =
        post(*server, messages, token, '[' + notification(me, "agent-1") + ',' + notification(me, "agent-2") + ']');
    ASSERT_EQ(sent.status, 207) << sent.body;
    ASSERT_EQ(accepted(sent.root()), 2u) << sent.body;
  }
}

TEST_F(PutOff, A_token_that_is_rotated_while_a_body_comes_is_no_longer_valid) {
  const std::string home = make_workspace(*server, "rotated");
  const std::string token = make_agent(*server, home, "agent-0", "mesh", "");
  make_agent(*server, home, "agent-1", "mesh", "");
  const auto head = [&] { return get(*server, home, server->admin()).number("/head"); };
  const std::string request = post_of(home + "/messages", token, broadcasts("agent-0", 50));
  Wire wire(server->port());
  wire.write(std::string_view(request).substr(0, request.size() - 100));
  std::this_thread::sleep_for(milliseconds(100));  // the head is read; were it not, it would be refused all the same
  ASSERT_EQ(post(*server, home + "/agents/agent-0/token", server->admin(), "{}").status, 201);
  const std::uint64_t before = head();
  wire.write(std::string_view(request).substr(request.size() - 100));
  std::string rest;
  const Reply answer = read_reply(wire, rest);
  EXPECT_EQ(answer.status, 401) << answer.body;
  EXPECT_EQ(head(), before);
}

TEST_F(PutOff, A_large_frame_may_follow_a_hello_at_once) {
  const auto sockets = open(80);
  const auto waiting = flood_that_waits(15, 100), busy = flood_of_one(100);
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    const std::string me = "agent-" + std::to_string(100 + i);
    std::string frame = R"({"id":2,"op":"send","messages":[)";
    for (int k = 0; k < 17; ++k) frame += (k > 0 ? "," : "") + notification(me, "agent-1", uuid(), 1'000);
    sockets[i]->send(hello(tokens[100 + i]));
    sockets[i]->send(frame + "]}");
    let_time_pass();
  }
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    Socket& socket = *sockets[i];
    ASSERT_THAT(socket.next().value_or("nothing"), StartsWith(R"({"op":"welcome","re":1,)"))
        << i << ", closed with " << socket.close_code().value_or(0);
    const std::string result = socket.next().value_or("nothing");
    ASSERT_THAT(result, StartsWith(R"({"op":"result","re":2,"results":[)"))
        << i << ", closed with " << socket.close_code().value_or(0);
    ASSERT_EQ(accepted(parsed(result).root().find("results")), 17u) << i;
  }
}

// Of two sessions the one that was opened last stays, also where the hello of the first had to wait.
TEST_F(PutOff, A_hello_that_was_given_up_takes_nothing_over) {
  const auto given_up = open(60), stay = open(60);
  const auto waiting = flood_that_waits(15, 100), busy = flood_of_one(100);
  for (std::size_t i = 0; i < stay.size(); ++i) {
    given_up[i]->send(hello(tokens[200 + i]));
    let_time_pass();
    given_up[i]->wire().reset();
    stay[i]->send(hello(tokens[200 + i]));
  }
  for (std::size_t i = 0; i < stay.size(); ++i) {
    EXPECT_THAT(stay[i]->next().value_or("nothing"), StartsWith(R"({"op":"welcome","re":1,)")) << i;
    stay[i]->send(R"({"id":2,"op":"credit","n":0})");
  }
  for (std::size_t i = 0; i < stay.size(); ++i)
    EXPECT_EQ(stay[i]->next().value_or("nothing"), R"({"op":"result","re":2,"results":[{"status":"done"}]})")
        << i << ", closed with " << stay[i]->close_code().value_or(0);
}

TEST_F(PutOff, Acks_are_taken_within_their_lease) {
  const auto [me, token] = fresh();
  const auto socket = std::move(open(1)[0]);
  const auto waiting = flood_that_waits(500, 24), busy = flood_of_one(200);
  socket->send(hello(token, R"(,"credit":1,"lease":"1s")"));
  ASSERT_THAT(socket->next().value_or("nothing"), StartsWith(R"({"op":"welcome","re":1,)"));
  const auto end = steady_clock::now() + seconds(1);
  for (int i = 0; steady_clock::now() < end; ++i) {
    const std::string frame = socket->next().value_or("nothing");  // what is sent to everybody
    ASSERT_THAT(frame, StartsWith(R"({"op":"deliver",)")) << i;
    const auto delivery = parsed(frame);
    const auto text = [&](const char* name) {
      return delivery.root().at_pointer(std::string("/deliveries/0/") + name).if_string().value_or("");
    };
    let_time_pass();
    // A disk that syncs slowly delivers late.
    const auto left = base::parse_rfc3339(text("lease_until")).value_or(base::Instant{}) - base::SystemClock().wall();
    socket->send(R"({"id":2,"op":"ack","delivery_ids":[")" + std::string(text("delivery_id")) + "\"]}");
    std::string result = socket->next().value_or("nothing");
    while (result.starts_with(R"({"op":"deliver",)")) result = socket->next().value_or("nothing");
    ASSERT_THAT(result, StartsWith(R"({"op":"result","re":2,"results":[)")) << i;
    if (left < milliseconds(500)) break;
    ASSERT_THAT(result, HasSubstr(R"("status":"done")")) << i << ", sent at " << left.count() << " us before its end";
  }
}

}  // namespace
}  // namespace parley::e2e
