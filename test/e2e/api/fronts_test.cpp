// What the fronts owe their callers beyond the form of an answer: bounds before a caller is known, pages that can be
// read, nothing lost to who went away, remarks on what was accepted, who did what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

std::string notification(const std::string& from, const std::string& to, const std::string& more = "",
                         const std::string& text = "ready") {
  return R"({"id":")" + uuid() + R"(","timestamp":")" + now_text() + R"(","from":")" + from + R"(","to":)" + to +
         R"(,"messageType":"notification","priority":"normal","content":{"status":{"state":"ready"},"text":")" + text +
         "\"}" + more + "}";
}

struct Fronts : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline int workspaces = 0;
  std::string workspace, a, b;  // two agents of `mesh`, and their tokens

  static void SetUpTestSuite() { server = std::make_unique<Server>(); }
  static void TearDownTestSuite() { server.reset(); }
  void open(const std::string& more = "") {
    workspace = make_workspace(*server, "fronts-" + std::to_string(++workspaces), more);
    a = make_agent(*server, workspace, "a", "mesh", "developer-agent");
    b = make_agent(*server, workspace, "b", "mesh", "developer-agent");
  }
  Answer send(const std::string& token, const std::string& body, Fields more = {}) const {
    return call(*server, {"POST", workspace + "/messages", token, body, "application/json", std::move(more)});
  }
  Answer take(const std::string& agent, const std::string& token) const {
    return post(*server, workspace + "/agents/" + agent + "/inbox/take", token, R"({"max":10})");
  }
};

// D10: who has not said who it is cannot make the server keep much.
TEST_F(Fronts, A_first_frame_larger_than_a_hello_is_refused_by_its_header) {
  open();
  Socket socket(server->port(), workspace + "/stream");
  ASSERT_EQ(socket.handshake().status, 101);
  const std::string header{'\x81', '\xFF', 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0};  // 1 MB of text is said to come
  socket.wire().write(header);
  EXPECT_EQ(socket.closed(milliseconds(2000)), 1009);
}

TEST_F(Fronts, A_mailbox_of_large_messages_is_read_in_pages) {
  open();
  const std::string large(1'000'000, 'x');
  for (int i = 0; i < 9; ++i) ASSERT_EQ(send(a, notification("a", "\"b\"", "", large)).status, 202);
  std::size_t seen = 0, pages = 0;
  std::string after;
  do {
    const Answer page = call(*server, {"GET", workspace + "/agents/b/inbox?limit=100" + after, b});
    ASSERT_EQ(page.status, 200);
    EXPECT_LE(page.body.size(), 5u << 20);
    seen += page.root().find("items").size();
    ++pages;
    after = page.text("/next").empty() ? "" : "&after=" + page.text("/next");
  } while (!after.empty() && pages < 20);
  EXPECT_EQ(seen, 9u);
  EXPECT_GE(pages, 3u);
}

TEST_F(Fronts, Dead_letters_that_are_large_are_read_in_pages_and_a_wrong_cursor_is_refused) {
  open();
  const std::string large(1'000'000, 'x');
  for (int i = 0; i < 6; ++i) ASSERT_EQ(send(a, notification("a", "\"b\"", "", large)).status, 202);
  for (int attempt = 0; attempt < 3; ++attempt)
    for (Answer taken = take("b", b); taken.root().find("deliveries").size() > 0; taken = take("b", b))
      for (const json::Value one : taken.root().find("deliveries").elements())
        ASSERT_EQ(post(*server, workspace + "/agents/b/inbox/nack", b,
                       R"({"delay":"0s","delivery_ids":[")" + std::string(one.find("delivery_id").as_string()) + "\"]}")
                      .status,
                  200);
  const Answer page = get(*server, workspace + "/deadletters", b);
  EXPECT_LT(page.root().find("items").size(), 6u);
  EXPECT_GT(page.root().find("items").size(), 0u);
  const Answer rest = get(*server, workspace + "/deadletters?after=" + page.text("/next"), b);
  EXPECT_EQ(page.root().find("items").size() + rest.root().find("items").size(), 6u);
  EXPECT_EQ(get(*server, workspace + "/deadletters?after=junk", b).code(), "BAD_CURSOR");
}

TEST_F(Fronts, Who_closes_while_it_waits_takes_nothing) {
  open();
  {
    Wire wire(server->port());
    wire.write(bytes_of(*server, {"POST", workspace + "/agents/b/inbox/take", b, R"({"wait":"20s"})"}));
    std::this_thread::sleep_for(milliseconds(200));
  }
  std::this_thread::sleep_for(milliseconds(50));
  ASSERT_EQ(send(a, notification("a", "\"b\"")).status, 202);
  EXPECT_EQ(get(*server, workspace + "/agents/b/inbox", b).text("/items/0/state"), "queued");
}

// R5: what the server made is where its recipient can see it.
TEST_F(Fronts, R5_an_id_and_a_time_that_were_made_are_in_the_delivery) {
  open(R"(,"validation":"lenient")");
  const Answer sent = send(a, R"({"from":"a","to":"b","messageType":"notification","priority":"normal",)"
                              R"("content":{"status":{"state":"ready"}}})");
  ASSERT_EQ(sent.status, 202);
  const Answer taken = take("b", b);
  EXPECT_EQ(taken.text("/deliveries/0/made/message_id"), sent.text("/message_id"));
  EXPECT_NE(taken.text("/deliveries/0/made/timestamp"), "");
  ASSERT_EQ(send(a, notification("a", "\"b\"")).status, 202);
  EXPECT_FALSE(take("b", b).root().at_pointer("/deliveries/0/made"));
}

// R8: the key is its sender's own.
TEST_F(Fronts, R8_two_agents_may_use_the_same_idempotency_key) {
  open(R"(,"validation":"lenient")");
  const auto bare = [](const std::string& from, const std::string& to) {
    return R"({"from":")" + from + R"(","to":")" + to + R"(","timestamp":")" + now_text() +
           R"(","messageType":"notification","priority":"normal","content":{"status":{"state":"ready"}}})";
  };
  const std::string first = bare("a", "b");
  const Answer of_a = send(a, first, {{"Idempotency-Key", "job-1"}});
  ASSERT_EQ(of_a.status, 202);
  const Answer of_b = send(b, bare("b", "a"), {{"Idempotency-Key", "job-1"}});
  EXPECT_EQ(of_b.status, 202) << of_b.body;
  EXPECT_NE(of_a.text("/message_id"), of_b.text("/message_id"));
  EXPECT_NE(of_a.text("/message_id"), "job-1");
  EXPECT_EQ(send(a, first, {{"Idempotency-Key", "job-1"}}).text("/status"), "duplicate");
  EXPECT_EQ(get(*server, workspace + "/messages/" + of_a.text("/message_id"), a).status, 200);
}

// D7: accepted never pretends.
TEST_F(Fronts, D7_a_broadcast_that_bounces_says_where) {
  open(R"(,"settings":{"mailbox_messages":1})");
  ASSERT_EQ(send(a, notification("a", "\"b\"")).status, 202);
  const Answer sent = send(a, notification("a", "\"broadcast\""));
  ASSERT_EQ(sent.status, 202);
  EXPECT_EQ(sent.text("/warnings/0/schema"), "BOUNCED");
  EXPECT_THAT(sent.text("/warnings/0/message"), HasSubstr("'b'"));
  EXPECT_EQ(get(*server, workspace + "/messages/" + sent.text("/message_id"), a).text("/receipts/0/state"), "bounced");
}

TEST_F(Fronts, D7_a_broadcast_to_nobody_says_so) {
  open();
  ASSERT_EQ(call(*server, {"DELETE", workspace + "/agents/b", server->admin()}).status, 200);
  EXPECT_EQ(send(a, notification("a", "\"broadcast\"")).text("/warnings/0/schema"), "NO_RECIPIENT");
}

// R25: nothing of a flag is to be seen or felt by anybody but its sender, who is told how it is.
TEST_F(Fronts, R25_a_private_message_is_kept_and_leaves_no_trace) {
  workspace = make_workspace(*server, "private");
  const std::string worker = make_agent(*server, workspace, "community", "supervisor", "");
  const std::string orchestrator = make_agent(*server, workspace, "orchestrator", "supervisor", "");
  const std::string other = make_agent(*server, workspace, "triage", "supervisor", "");
  std::string flag = read_file(source_folder() + "/spec/profiles/supervisor/examples/coc_violation_flag.json");
  const Answer sent = send(worker, flag);
  ASSERT_EQ(sent.status, 202) << sent.body;
  EXPECT_THAT(sent.body, HasSubstr("PRIVATE_KEPT"));
  EXPECT_EQ(send(worker, flag).text("/status"), "duplicate");
  const std::string id = sent.text("/message_id");
  EXPECT_EQ(get(*server, workspace + "/messages/" + id, worker).status, 200);
  EXPECT_EQ(get(*server, workspace + "/messages/" + id, orchestrator).status, 404);
  EXPECT_THAT(get(*server, workspace + "/log", orchestrator).body, Not(HasSubstr("private")));
  EXPECT_THAT(get(*server, workspace + "/log", worker).body, HasSubstr("private"));
  const std::string from_other = flag.replace(flag.find("\"community\""), 11, "\"triage\"");
  EXPECT_EQ(send(other, from_other).status, 202) << "the same id of another sender is no conflict";
}

TEST_F(Fronts, An_id_that_is_taken_says_where_to_its_parties_alone) {
  open();
  const std::string c = make_agent(*server, workspace, "c", "mesh", "developer-agent");
  const std::string message = notification("a", "\"b\"");
  const Answer sent = send(a, message);
  ASSERT_EQ(sent.status, 202);
  const std::string id = sent.text("/message_id");
  const auto with_id = [&](std::string other) { return other.replace(7, 36, id); };
  const Answer of_party = send(b, with_id(notification("b", "\"a\"")));
  EXPECT_EQ(of_party.code(), "ID_CONFLICT");
  EXPECT_THAT(of_party.body, HasSubstr("offset"));
  const Answer of_third = send(c, with_id(notification("c", "\"a\"")));
  EXPECT_EQ(of_third.code(), "ID_CONFLICT");
  EXPECT_THAT(of_third.text("/error/message"), Not(HasSubstr("offset")));
}

// R7: found by its id alone where that is enough.
TEST_F(Fronts, R7_a_message_whose_id_says_nothing_alone_is_found_where_there_is_one) {
  workspace = make_workspace(*server, "pipeline");
  const std::string one = make_agent(*server, workspace, "one", "pipeline", "");
  make_agent(*server, workspace, "two", "pipeline", "");
  make_agent(*server, workspace, "three", "pipeline", "");
  const auto update = [](const std::string& to) {
    return R"({"protocol_version":"1.0.0","message_id":"msg-20260302090412-one-001","timestamp":")" + now_text() +
           R"(","from_agent":"one","to_agent":")" + to +
           R"(","message_type":"notification","card_id":"card-1","priority":"medium",)"
           R"("data":{"notification_type":"heartbeat"},"metadata":{}})";
  };
  const Answer sent = send(one, update("two"));
  ASSERT_EQ(sent.status, 202) << sent.body;
  const std::string target = workspace + "/messages/" + sent.text("/message_id");
  EXPECT_EQ(get(*server, target, one).text("/to/0"), "two");
  ASSERT_EQ(send(one, update("three")).status, 202);
  const Answer which = get(*server, target, one);
  EXPECT_EQ(which.status, 409);
  EXPECT_THAT(which.body, HasSubstr("?to=three"));
  EXPECT_EQ(get(*server, target + "?to=three", one).text("/to/0"), "three");
}

// COR-12
TEST_F(Fronts, The_log_says_who_did_what_to_whom) {
  open();
  const std::string mia = make_person(*server, workspace, "mia", "maintainer");
  ASSERT_EQ(post(*server, workspace + "/agents/a/token", mia, "{}").status, 201);
  ASSERT_EQ(post(*server, workspace + "/people", mia, R"({"person_id":"eve","roles":["observer"]})").status, 201);
  const Answer log = get(*server, workspace + "/log?max=1000", server->admin());
  std::string said;
  for (const json::Value item : log.root().find("items").elements())
    for (const char* member : {"/event", "/agent", "/person", "/by/kind", "/by/id"})
      if (const auto text = item.at_pointer(member).if_string()) said += std::string(*text) + ' ';
  EXPECT_THAT(
      said, HasSubstr("person_registered mia admin admin token_rotated a person mia person_registered eve person mia"));
}

// Least rights: nobody gives what they do not have.
TEST_F(Fronts, A_maintainer_gives_no_rights_but_their_own) {
  open();
  const std::string mia = make_person(*server, workspace, "mia", "maintainer");
  make_person(*server, workspace, "mo", "moderator");
  const std::string people = workspace + "/people";
  EXPECT_EQ(call(*server, {"PATCH", people + "/mia", mia, R"({"roles":["maintainer","moderator"]})"}).code(),
            "FORBIDDEN");
  EXPECT_EQ(post(*server, people, mia, R"({"person_id":"eve","roles":["approver"]})").code(), "FORBIDDEN");
  EXPECT_EQ(post(*server, people + "/mo/token", mia, "{}").code(), "FORBIDDEN");
  EXPECT_EQ(call(*server, {"PATCH", people + "/mo", mia, R"({"roles":["observer"]})"}).code(), "FORBIDDEN");
  EXPECT_EQ(call(*server, {"DELETE", people + "/mo", mia}).code(), "FORBIDDEN");
  EXPECT_EQ(post(*server, people, mia, R"({"person_id":"olga","roles":["maintainer","observer"]})").status, 201);
  EXPECT_EQ(post(*server, people + "/mia/token", mia, "{}").status, 201);
}

TEST_F(Fronts, A_person_is_the_same_whatever_the_order_of_the_roles) {
  open();
  const auto add = [&](const std::string& roles) {
    return post(*server, workspace + "/people", server->admin(), R"({"person_id":"mia","roles":[)" + roles + "]}");
  };
  const Answer made = add(R"("maintainer","observer")");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.reply.field("Cache-Control"), "no-store");
  EXPECT_EQ(add(R"("observer","maintainer")").status, 200);
  const auto head = [&] { return get(*server, workspace, server->admin()).number("/head"); };
  const std::uint64_t before = head();
  EXPECT_EQ(call(*server, {"PATCH", workspace + "/people/mia", server->admin(), "{}"}).status, 200);
  EXPECT_EQ(head(), before) << "nothing changed";
}

TEST_F(Fronts, Settings_that_make_no_sense_are_refused) {
  for (const char* body :
       {R"({"name":"odd","settings":{"lease":"0s"}})", R"({"name":"odd","settings":{"lease":"10ms"}})",
        R"({"name":"odd","settings":{"remembered_for":"0s"}})"}) {
    const Answer refused = post(*server, "/v1/workspaces", server->admin(), body);
    EXPECT_EQ(refused.code(), "BAD_REQUEST") << body;
    EXPECT_THAT(refused.text("/error/where"), HasSubstr("/settings/"));
  }
  // A lease is bounded alike wherever it is said.
  EXPECT_EQ(post(*server, "/v1/workspaces", server->admin(), R"({"name":"brisk","settings":{"lease":"50ms"}})").status,
            201);
  EXPECT_EQ(post(*server, "/v1/workspaces", server->admin(), R"({"name":"odd","profiles":["nosuch"]})").code(),
            "PROFILE_UNKNOWN");
  EXPECT_EQ(get(*server, "/v1/workspaces/odd", server->admin()).status, 404);
}

TEST_F(Fronts, An_id_of_a_form_that_is_not_allowed_is_told_which_are) {
  workspace = make_workspace(*server, "of-ids", "");
  const auto refusal = [&](const std::string& path, const char* body) {
    const Answer refused = post(*server, path, server->admin(), body);
    return refused.code() + ' ' + refused.text("/error/where") + ' ' + refused.text("/error/hint").substr(0, 8);
  };
  EXPECT_EQ(refusal("/v1/workspaces", R"({"name":"Demo"})"), "BAD_ID /name Use 1 to");
  EXPECT_EQ(refusal(workspace + "/agents", R"({"agent_id":"../x","profile":"mesh"})"), "BAD_ID /agent_id Use 1 to");
  EXPECT_EQ(refusal(workspace + "/agents", R"({"agent_id":7,"profile":"mesh"})"), "BAD_REQUEST /agent_id Compare ");
  EXPECT_EQ(refusal(workspace + "/agents", R"({"agent_id":"all","profile":"mesh"})"), "BAD_ID /agent_id Choose a");
  EXPECT_EQ(refusal(workspace + "/people", R"({"person_id":"parley","roles":["maintainer"]})"),
            "BAD_ID /person_id Choose a");
  EXPECT_EQ(refusal("/v1/workspaces", R"({"name":"of-ids","settings":{"tasks":7}})"),
            "WORKSPACE_EXISTS /name PATCH it");
}

TEST_F(Fronts, A_profile_that_is_not_allowed_is_answered_with_those_that_are) {
  workspace = make_workspace(*server, "collab-only", R"(,"profiles":["collab"])");
  const Answer refused = post(*server, workspace + "/agents", server->admin(), R"({"agent_id":"m","profile":"mesh"})");
  EXPECT_EQ(refused.code(), "PROFILE_UNKNOWN");
  EXPECT_EQ(json::to_text(refused.root().at_pointer("/error/legal_next")), R"(["collab"])");
}

TEST_F(Fronts, An_agent_without_a_role_is_told_that_it_has_none) {
  workspace = make_workspace(*server, "no-role");
  const std::string token = make_agent(*server, workspace, "architect-main", "collab", "");
  make_agent(*server, workspace, "developer-01", "collab", "developer");
  const Answer refused =
      send(token, read_file(source_folder() + "/spec/profiles/collab/examples/task_assignment.json"));
  EXPECT_EQ(refused.code(), "DIRECTION");
  EXPECT_THAT(refused.text("/error/message"), HasSubstr("agent_type"));
}

TEST_F(Fronts, A_removed_agents_stream_is_told_that_it_is_no_longer_authorised) {
  open();
  Socket socket(server->port(), workspace + "/stream");
  socket.send(R"({"id":1,"op":"hello","token":")" + b + "\"}");
  ASSERT_TRUE(socket.next());
  ASSERT_EQ(call(*server, {"DELETE", workspace + "/agents/b", server->admin()}).status, 200);
  EXPECT_EQ(socket.closed(milliseconds(3000)), 4401);
}

TEST_F(Fronts, Wrong_tokens_are_counted) {
  EXPECT_EQ(get(*server, "/v1/limits", "pt_wrong").status, 401);
  EXPECT_THAT(get(*server, "/metrics", server->admin()).body, HasSubstr("parley_unauthenticated_total"));
}

}  // namespace
}  // namespace parley::e2e
