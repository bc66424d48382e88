// The WebSocket surface (docs/reference/websocket.md): hello, batches, credit, settlements, takeover, close codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

struct Stream : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline std::string workspace, architect, developer;
  static inline int agents = 0;
  std::string me, my_token;  // an agent of this test's own

  static void SetUpTestSuite() {
    server = std::make_unique<Server>();
    workspace = make_workspace(*server, "stream");
    architect = make_agent(*server, workspace, "architect-main", "collab", "architect");
  }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override {
    me = "developer-" + std::to_string(++agents);
    my_token = make_agent(*server, workspace, me, "collab", "developer");
  }

  std::unique_ptr<Socket> open() const { return std::make_unique<Socket>(server->port(), workspace + "/stream"); }
  std::unique_ptr<Socket> greeted(int credit, const std::string& more = "") const {
    auto socket = open();
    EXPECT_EQ(socket->handshake().status, 101);
    socket->send(R"({"id":1,"op":"hello","token":")" + my_token + R"(","agent_id":")" + me + R"(","credit":)" +
                 std::to_string(credit) + more + '}');
    EXPECT_THAT(socket->next().value_or(""), StartsWith(R"({"op":"welcome","re":1,"session":")"));
    return socket;
  }
  void mail(int count, std::size_t bytes = 0) const {
    std::string messages;
    for (int i = 0; i < count; ++i) {
      std::string message = status_query("architect-main", me);
      message.insert(1, bytes, ' ');  // white space is of the message: it is stored and delivered
      messages += (i > 0 ? "," : "") + message;
    }
    const Answer sent = post(*server, workspace + "/messages", architect, "[" + messages + "]");
    ASSERT_EQ(sent.status, 207);
    ASSERT_EQ(sent.body.find("\"error\""), std::string::npos) << sent.body.substr(0, 1000);
  }
  static json::Document parsed(const std::optional<std::string>& frame) {
    json::Limits limits;
    limits.bytes = 8 << 20;
    return json::Document::parse(frame.value_or("null"), limits).value();
  }
  static std::string first_delivery(const std::string& frame) {
    return std::string(parsed(frame).root().at_pointer("/deliveries/0/delivery_id").if_string().value_or(""));
  }
  std::string state_of(const std::string& message_id) const {
    return get(*server, workspace + "/messages/" + message_id, architect).text("/receipts/0/state");
  }
  std::size_t in_mailbox() const {
    return get(*server, workspace + "/agents/" + me + "/inbox", my_token).root().find("items").size();
  }
};

// COR-07
TEST_F(Stream, Opens_by_upgrade_and_says_welcome_with_limits_and_head) {
  auto socket = open();
  EXPECT_EQ(socket->handshake().field("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455 §1.3
  socket->send(R"({"id":7,"op":"hello","token":")" + my_token + "\"}");
  const auto welcome = parsed(socket->next());
  EXPECT_EQ(welcome.root().find("re").if_uint(), 7u);
  EXPECT_GT(welcome.root().find("head").if_uint().value_or(0), 0u);
  EXPECT_EQ(json::to_text(welcome.root().find("limits")), json::to_text(get(*server, "/v1/limits", my_token).root()));
}

// What docs/reference/websocket.md prints: `C:` what a client sends, `S:` what it must be answered. `…` stands for any
// text, `TOKEN` and `DEVELOPER` for this test's own, `MESSAGE` for a valid message.
TEST_F(Stream, The_exchange_printed_in_the_reference_is_true) {
  const std::string page = read_file(source_folder() + "/docs/reference/websocket.md");
  const std::size_t begin = page.find("```exchange\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string text = page.substr(begin + 12, page.find("```\n", begin + 12) - begin - 12);
  const auto filled = [&](std::string line) {
    for (const auto& [word, value] : Fields{{"TOKEN", my_token}, {"DEVELOPER", me}})
      for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + value.size()))
        line.replace(at, word.size(), value);
    return line;
  };
  auto socket = open();
  std::string delivery;
  int lines = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    std::string line = filled(text.substr(at, text.find('\n', at) - at));
    if (const std::size_t id = line.find("DELIVERY"); id != std::string::npos && line.starts_with("C:"))
      line.replace(id, 8, delivery);
    ++lines;
    if (line.starts_with("C: ")) {
      socket->send(line.substr(3));
    } else if (line.starts_with("-- ")) {
      mail(1);
    } else {
      ASSERT_TRUE(line.starts_with("S: ")) << line;
      const std::string got = socket->next().value_or("nothing");
      std::size_t found = 0;
      std::string_view rest = std::string_view(line).substr(3);
      while (true) {  // the pieces between the `…`, in order
        const std::size_t gap = rest.find("…");
        const std::string piece(rest.substr(0, gap));
        found = got.find(piece, found);
        ASSERT_NE(found, std::string::npos) << "wanted " << line << "\ngot    " << got;
        found += piece.size();
        if (gap == std::string_view::npos) break;
        rest.remove_prefix(gap + std::string_view("…").size());
      }
      if (delivery.empty()) delivery = first_delivery(got);
    }
  }
  EXPECT_GT(lines, 8);
}

TEST_F(Stream, Wants_a_hello_first) {
  for (const std::string first : {R"({"id":1,"op":"credit","n":1})", R"({"op":"hello"})", "nonsense", "[]", "",
                                  R"({"id":1,"op":"hello"})", R"({"id":1,"op":"hello","token":7})"}) {
    auto socket = open();
    socket->send(first);
    EXPECT_THAT(socket->next().value_or("nothing"), HasSubstr("\"error\":{\"code\":")) << first;
    EXPECT_EQ(socket->closed(), 4401) << first;
  }
  auto long_one = open();
  long_one->send(R"({"id":1,"op":"hello","token":")" + my_token + R"(","agent_id":")" + std::string(20'000, 'a') +
                 "\"}");
  EXPECT_EQ(long_one->closed(), 1009);
  auto other = open();
  other->send(R"({"id":1,"op":"hello","token":")" + my_token + R"(","agent_id":"architect-main"})");
  EXPECT_EQ(other->closed(), 4401);
  auto misspelt = open();
  misspelt->send(R"({"id":1,"op":"hello","token":")" + my_token + R"(","credits":1})");
  EXPECT_THAT(misspelt->next().value_or(""), HasSubstr("/credits"));
  EXPECT_EQ(misspelt->closed(), 4401);
}

TEST_F(Stream, Answers_what_is_no_frame_and_goes_on) {
  auto socket = greeted(0);
  const auto expect_error = [&](const std::string& frame, const std::string& re, const std::string& code) {
    socket->send(frame);
    EXPECT_THAT(socket->next().value_or("nothing"),
                StartsWith(R"({"op":"result","re":)" + re + R"(,"error":{"code":")" + code + '"'))
        << frame;
  };
  expect_error("{", "0", "BAD_JSON");
  expect_error("7", "0", "BAD_FRAME");
  expect_error(R"({"op":"drain"})", "0", "BAD_FRAME");
  expect_error(R"({"id":-1,"op":"drain"})", "0", "BAD_FRAME");
  expect_error(R"({"id":3})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"send","messages":[{"a":1,"a":2},nul]})", "3", "BAD_JSON");
  expect_error(R"(  {"op":"send","messages":[7e400],"id":3})", "3", "BAD_JSON");
  expect_error(R"({"id":3,"op":"dance"})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"hello","token":"x"})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"send"})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"send","messages":{}})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"ack","delivery_ids":[]})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"ack","delivery_ids":[1]})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"ack","delivery_ids":["1-1"],"delay":"1s"})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"nack","delivery_ids":["1-1"],"delay":"soon"})", "3", "BAD_REQUEST");
  expect_error(R"({"id":3,"op":"extend","delivery_ids":["1-1"],"lease":30})", "3", "BAD_REQUEST");
  expect_error(R"({"id":3,"op":"credit","n":-1})", "3", "BAD_FRAME");
  expect_error(R"({"id":3,"op":"credit","n":100001})", "3", "BAD_FRAME");
  std::string many = R"({"id":4,"op":"send","messages":[1)";
  for (int i = 0; i < 1000; ++i) many += ",1";
  expect_error(many + "]}", "4", "BAD_FRAME");
  socket->send("\x01\x02", 2);
  EXPECT_THAT(socket->next().value_or(""), HasSubstr("BAD_FRAME"));
  socket->send(R"({"id":5,"op":"send","messages":[]})");
  EXPECT_EQ(socket->next(), R"({"op":"result","re":5,"results":[]})");
}

TEST_F(Stream, Closes_what_breaks_the_protocol) {
  auto large = greeted(0);
  large->send(std::string((8 << 20) + 1, ' '));
  EXPECT_EQ(large->closed(), 1009);
  auto no_text = greeted(0);
  no_text->send("\xFF\xFE");
  EXPECT_EQ(no_text->closed(), 1007);
  auto whole = greeted(0);
  std::string frame = R"({"id":2,"op":"send","messages":[]})";
  frame.insert(1, std::string((8 << 20) - frame.size(), ' '));
  whole->send(frame);
  EXPECT_EQ(whole->next(), R"({"op":"result","re":2,"results":[]})");
}

TEST_F(Stream, Delivers_no_more_than_there_is_credit_for) {
  mail(5);
  auto socket = greeted(2);
  std::vector<std::string> ids;
  const auto read = [&](std::size_t until) {
    while (ids.size() < until) {
      const auto frame = socket->next();
      ASSERT_TRUE(frame);
      for (const json::Value one : parsed(frame).root().find("deliveries").elements())
        ids.emplace_back(one.find("delivery_id").as_string());
    }
  };
  read(2);
  EXPECT_EQ(socket->next(milliseconds(200)), std::nullopt);
  EXPECT_EQ(ids.size(), 2u);
  socket->send(R"({"id":2,"op":"ack","delivery_ids":[")" + ids[0] + "\"]}");
  read(3);
  socket->send(R"({"id":3,"op":"credit","n":10})");
  read(5);
  EXPECT_EQ(in_mailbox(), 4u);  // unacked, all on their way
  socket->send(R"({"id":4,"op":"drain"})");
  EXPECT_EQ(socket->next(), R"({"op":"result","re":4,"results":[{"status":"done"}]})");
  mail(1);
  EXPECT_EQ(socket->next(milliseconds(200)), std::nullopt);
  socket->send(R"({"id":5,"op":"nack","delay":"0s","delivery_ids":[")" + ids[4] + R"(","nothing"]})");
  EXPECT_EQ(socket->next(), R"({"op":"result","re":5,"results":[{"delivery_id":")" + ids[4] +
                                R"(","status":"done"},{"delivery_id":"nothing","status":"unknown"}]})");
}

// R46: what a lost connection took back is not counted.
TEST_F(Stream, Gives_leases_back_when_it_ends) {
  mail(1);
  auto socket = greeted(5);
  const std::string first = socket->next().value_or("");
  EXPECT_THAT(first, HasSubstr(R"("attempt":1)"));
  socket.reset();
  const Answer taken = post(*server, workspace + "/agents/" + me + "/inbox/take", my_token, R"({"wait":"10s"})");
  EXPECT_EQ(taken.number("/deliveries/0/attempt"), 1u);
  EXPECT_NE(taken.text("/deliveries/0/delivery_id"), first_delivery(first));
}

// reliability D10
TEST_F(Stream, A_newer_session_takes_over) {
  mail(1);
  auto old = greeted(5);
  const std::string before = first_delivery(old->next().value_or(""));
  auto fresh = greeted(5);
  EXPECT_EQ(old->closed(), 4001);
  const std::string after = first_delivery(fresh->next().value_or(""));
  EXPECT_NE(before, after);
  fresh->send(R"({"id":2,"op":"ack","delivery_ids":[")" + before + "\",\"" + after + "\"]}");
  EXPECT_EQ(fresh->next(), R"({"op":"result","re":2,"results":[{"delivery_id":")" + before +
                               R"(","status":"superseded"},{"delivery_id":")" + after + R"(","status":"done"}]})");
}

// R31
TEST_F(Stream, Tells_a_sender_in_frames_without_a_message) {
  auto sender = open();
  const std::string token = make_agent(*server, workspace, "architect-" + me, "collab", "architect");
  sender->send(R"({"id":1,"op":"hello","credit":5,"token":")" + token + "\"}");
  ASSERT_TRUE(sender->next());
  const std::string id = uuid();
  sender->send(R"({"id":2,"op":"send","messages":[)" + status_query("architect-" + me, me, id) + "]}");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("status":"accepted")"));
  EXPECT_EQ(call(*server, {"DELETE", workspace + "/agents/" + me, server->admin()}).status, 200);
  const std::string told = sender->next().value_or("");
  EXPECT_THAT(told, HasSubstr(R"("origin":"server","notice":{"notice":"bounced")"));
  EXPECT_THAT(told, HasSubstr(id));
  EXPECT_EQ(told.find(R"("message":)"), std::string::npos);
}

// BEY-01: pushed to the sender that asks; nothing to the one that does not.
TEST_F(Stream, Tells_the_sender_that_asks_what_becomes_of_its_messages) {
  const std::string name = "architect-of-" + me;
  const std::string token = make_agent(*server, workspace, name, "collab", "architect");
  auto sender = open();
  sender->send(R"({"id":1,"op":"hello","receipts":true,"token":")" + token + "\"}");
  ASSERT_TRUE(sender->next());
  auto reader = greeted(0);
  const std::string id = uuid();
  sender->send(R"({"id":2,"op":"send","messages":[)" + status_query(name, me, id) + "]}");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("status":"accepted")"));
  const std::string queued = sender->next().value_or("");
  EXPECT_THAT(queued, StartsWith(R"({"op":"receipts","receipts":[{"message_id":")" + id + R"(","offset":)"));
  EXPECT_THAT(queued, HasSubstr(R"("recipient":")" + me + R"(","state":"queued","at":")"));
  reader->send(R"({"id":2,"op":"credit","n":1})");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("state":"offered")"));
  EXPECT_THAT(reader->next().value_or(""), HasSubstr(R"("re":2)"));
  const std::string delivery = first_delivery(reader->next().value_or(""));
  reader->send(R"({"id":3,"op":"ack","delivery_ids":[")" + delivery + "\"]}");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("state":"acked")"));
  sender->send(R"({"id":3,"op":"drain"})");
  EXPECT_EQ(sender->next(), R"({"op":"result","re":3,"results":[{"status":"done"}]})");

  auto other = open();  // the same agent, and does not ask
  other->send(R"({"id":1,"op":"hello","token":")" + token + "\"}");
  ASSERT_TRUE(other->next());
  other->send(R"({"id":2,"op":"send","messages":[)" + status_query(name, me, uuid()) + "]}");
  EXPECT_THAT(other->next().value_or(""), HasSubstr(R"("status":"accepted")"));
  other->send(R"({"id":3,"op":"drain"})");
  EXPECT_EQ(other->next(), R"({"op":"result","re":3,"results":[{"status":"done"}]})");
  auto odd = open();
  odd->send(R"({"id":1,"op":"hello","receipts":"yes","token":")" + token + "\"}");
  EXPECT_THAT(odd->next().value_or(""), HasSubstr("`receipts` is neither true nor false"));
}

// BEY-03, BEY-01
TEST_F(Stream, Takes_back_checks_and_says_that_it_acted) {
  const std::string name = "architect-of-" + me;
  const std::string token = make_agent(*server, workspace, name, "collab", "architect");
  auto sender = open();
  sender->send(R"({"id":1,"op":"hello","token":")" + token + "\"}");
  ASSERT_TRUE(sender->next());
  const std::string id = uuid(), newer = uuid();
  sender->send(R"({"id":2,"op":"send","messages":[)" + status_query(name, me, id) + "]}");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("status":"accepted")"));
  sender->send(R"({"id":3,"op":"send","messages":[)" + status_query(name, me, newer) +
               R"(],"beside":[{"supersedes":")" + id + R"(","reply_by":"2099-01-01T00:00:00Z"}]})");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr("the reply is wanted by"));
  sender->send(R"({"id":4,"op":"send","messages":[)" + status_query(name, me, newer) +
               R"(],"beside":[{"supersedes":")" + id + "\"}]}");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr(R"("status":"accepted")"));
  for (const std::string odd : {"{}", "[]", "[7]", R"([{"supersede":"x"}])"}) {
    sender->send(R"({"id":5,"op":"send","messages":[)" + status_query(name, me, uuid()) + R"(],"beside":)" + odd + "}");
    EXPECT_THAT(sender->next().value_or(""), HasSubstr("BAD_FRAME")) << odd;
  }
  sender->send(R"({"id":6,"op":"send","messages":[)" + status_query(name, me, uuid()) +
               R"(],"beside":[{"evidence":"abc.def"}]})");
  EXPECT_THAT(sender->next().value_or(""), HasSubstr("EVIDENCE_OTHER"));
  auto reader = greeted(1);
  const std::string frame = reader->next().value_or("");
  EXPECT_THAT(frame, HasSubstr(R"("supersedes":{"message_id":")" + id));
  const std::string delivery = first_delivery(frame);
  reader->send(R"({"id":2,"op":"check","delivery_ids":[")" + delivery + R"("],"message_ids":[")" + id + "\"]}");
  EXPECT_THAT(reader->next().value_or(""),
              StartsWith(R"({"op":"result","re":2,"results":[{"delivery_id":")" + delivery +
                         R"(","status":"current"},{"message_id":")" + id + R"(","status":"superseded")"));
  reader->send(R"({"id":3,"op":"ack","acted":true,"delivery_ids":[")" + delivery + "\"]}");
  EXPECT_THAT(reader->next().value_or(""), HasSubstr(R"("status":"done")"));
  reader->send(R"({"id":4,"op":"acted","delivery_ids":[")" + delivery + "\"]}");
  EXPECT_THAT(reader->next().value_or(""), HasSubstr(R"("status":"already")"));
  sender->send(R"({"id":6,"op":"rescind","message_id":")" + newer + "\"}");
  const std::string rescinded = sender->next().value_or("");
  EXPECT_THAT(rescinded, StartsWith(R"({"op":"result","re":6,"results":[{"message_id":")" + newer));
  EXPECT_THAT(rescinded, HasSubstr(R"("state":"acted")"));
}

// I4: within a second, open streams too.
TEST_F(Stream, Ends_when_its_token_is_revoked) {
  auto socket = greeted(5);
  EXPECT_EQ(call(*server, {"POST", workspace + "/agents/" + me + "/token", server->admin()}).status, 201);
  mail(1);
  EXPECT_EQ(socket->closed(milliseconds(3000)), 4401);
}

// COR-02, D3: a result is on disk before it is sent. What was acked is acked after a kill.
TEST_F(Stream, What_it_said_is_true_after_a_kill) {
  mail(3);
  auto socket = greeted(10);
  std::string ids;
  for (int seen = 0; seen < 3;) {
    const auto frame = parsed(socket->next());
    for (const json::Value one : frame.root().find("deliveries").elements()) {
      ++seen;
      ids += (ids.empty() ? "\"" : ",\"") + std::string(one.find("delivery_id").as_string()) + '"';
    }
    ASSERT_GT(frame.root().find("deliveries").size(), 0u);
  }
  socket->send(R"({"id":2,"op":"ack","delivery_ids":[)" + ids + "]}");
  EXPECT_THAT(socket->next().value_or(""), StartsWith(R"({"op":"result","re":2)"));
  server->kill();
  server->start();
  EXPECT_EQ(in_mailbox(), 0u);
}

// reliability D6: one who does not read is told so and let go; meanwhile it costs little, and others nothing. E2: so is
// one who never says hello.
TEST_F(Stream, A_reader_too_slow_for_too_long_is_closed_and_so_is_who_says_nothing) {
  const auto silent = open();
  for (int i = 0; i < 6; ++i) mail(120, 50'000);  // 36 MB
  auto socket = greeted(100'000);
  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(seconds(11));
  EXPECT_EQ(get(*server, "/healthz", "").status, 200);
  int delivered = 0;
  while (const auto frame = socket->next())
    delivered += static_cast<int>(parsed(frame).root().find("deliveries").size());
  EXPECT_EQ(socket->close_code(), 4429);
  EXPECT_EQ(silent->closed(milliseconds(1000)), 4401);
  EXPECT_LT(delivered, 720);
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(20));
  EXPECT_EQ(get(*server, workspace + "/agents/" + me + "/inbox?limit=1000", my_token).text("/items/0/state"), "queued");
}

}  // namespace
}  // namespace parley::e2e
