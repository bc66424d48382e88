// Every call once with what it takes, and what each says to what it does not take. Answers are held to the document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api.hpp"
#include "base/clock.hpp"
#include "base/time.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

struct Calls : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline std::string workspace, architect, developer;
  static inline const std::string other = "/v1/workspaces/second";
  static std::string of_task() { return workspace + "/tasks/task-settings-loader"; }  // what collab's examples speak of

  static void SetUpTestSuite() {
    server = std::make_unique<Server>();
    workspace = make_workspace(*server, "calls");
    architect = make_agent(*server, workspace, "architect-main", "collab", "architect");
    developer = make_agent(*server, workspace, "developer-01", "collab", "developer");
  }
  static void TearDownTestSuite() { server.reset(); }

  static Answer send(const std::string& body, const std::string& type = "application/json", Fields more = {}) {
    return call(*server, {"POST", workspace + "/messages", architect, body, type, std::move(more)});
  }
  static std::string query(const std::string& id = uuid()) {
    return status_query("architect-main", "developer-01", id);
  }
  static Answer take(const std::string& body = R"({"max":1000})") {
    return post(*server, workspace + "/agents/developer-01/inbox/take", developer, body);
  }
  static Answer settle(const std::string& what, const std::string& body) {
    return post(*server, workspace + "/agents/developer-01/inbox/" + what, developer, body);
  }
  static void empty_mailbox() {
    for (Answer taken = take(); taken.root().find("deliveries").size() > 0; taken = take())
      ASSERT_EQ(settle("ack", ids_of(taken)).status, 200);
  }
  static std::string ids_of(const Answer& taken, const std::string& more = "") {
    std::string body;
    json::Writer writer(body);
    writer.begin_object().key("delivery_ids").begin_array();
    for (const json::Value delivery : taken.root().find("deliveries").elements())
      writer.string(delivery.find("delivery_id").as_string());
    writer.end_array();
    return body + more + '}';
  }

  // Each a kind of call, in this order: a later one finds what earlier ones left.
  static void workspaces();
  static void agents();
  static void people_and_runners();
  static void messages();
  static void messages_taken_back();
  static void logs();
  static void tasks();
  static void reviews();
  static void ends_of_tasks();
  static void help_and_collaborations();
  static void approvals();
  static void dead_letters();
  static void limits_and_documents();
};

void Calls::workspaces() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  EXPECT_EQ(
      post(s, "/v1/workspaces", admin, R"({"name":"second","profiles":["collab"],"settings":{"lease":"45s"}})").status,
      201);
  EXPECT_EQ(
      post(s, "/v1/workspaces", admin, R"({"name":"second","profiles":["collab"],"settings":{"lease":"45s"}})").status,
      200);
  EXPECT_EQ(post(s, "/v1/workspaces", admin, R"({"name":"second"})").code(), "WORKSPACE_EXISTS");
  EXPECT_EQ(get(s, "/v1/workspaces?limit=1", admin).root().find("items").size(), 1u);
  EXPECT_EQ(get(s, other, admin).text("/settings/lease"), "45s");
  const Answer document = get(s, "/openapi.json", "");
  const Answer plain = get(s, workspace, admin);
  const json::Value documented = document.root().at_pointer("/components/schemas/NewSettings/properties");
  EXPECT_EQ(documented.size(), plain.root().find("settings").size());
  for (const auto [name, schema] : documented.members())
    EXPECT_EQ(json::to_text(schema.find("default")), json::to_text(plain.root().find("settings").find(name))) << name;
  EXPECT_EQ(call(s, {"PATCH", other, admin, R"({"settings":{"lease":"1m"}})"}).text("/settings/lease"), "1m");
}

void Calls::agents() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  const std::string agent = R"({"agent_id":"reviewer-main","profile":"collab","agent_type":"reviewer","max_load":3})";
  const Answer made = post(s, other + "/agents", admin, agent);
  EXPECT_EQ(made.status, 201);
  const Answer again = post(s, other + "/agents", admin, agent);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.text("/token"), "");
  EXPECT_EQ(post(s, other + "/agents", admin, R"({"agent_id":"reviewer-main","profile":"collab"})").code(),
            "AGENT_EXISTS");
  EXPECT_EQ(get(s, other + "/agents", admin).text("/items/0/agent_id"), "reviewer-main");
  EXPECT_EQ(call(s, {"PATCH", other + "/agents/reviewer-main", admin, R"({"max_load":4})"}).number("/max_load"), 4u);
  EXPECT_EQ(get(s, other + "/agents/reviewer-main", admin).number("/max_load"), 4u);
  EXPECT_EQ(get(s, other + "/agents/nobody", admin).code(), "NOT_FOUND");
  const std::string tokens = other + "/agents/reviewer-main/allocations/tokens";
  EXPECT_EQ(call(s, {"PUT", tokens, admin, R"({"limit":1000})"}).status, 200);
  EXPECT_EQ(get(s, other + "/agents/reviewer-main", admin).number("/allocations/0/limit"), 1000u);
  const Answer rotated = call(s, {"POST", other + "/agents/reviewer-main/token", made.text("/token")});
  EXPECT_EQ(rotated.status, 201);
  EXPECT_EQ(get(s, other, made.text("/token")).status, 401);
  EXPECT_EQ(get(s, other, rotated.text("/token")).status, 200);
  const Answer graceful = post(s, other + "/agents/reviewer-main/token", admin, R"({"grace":"1h"})");
  EXPECT_EQ(get(s, other, rotated.text("/token")).status, 200);
  EXPECT_EQ(get(s, other, graceful.text("/token")).status, 200);
  EXPECT_EQ(call(s, {"DELETE", other + "/agents/reviewer-main", admin}).status, 200);
  EXPECT_EQ(get(s, other, graceful.text("/token")).status, 401);
}

void Calls::people_and_runners() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  EXPECT_EQ(post(s, other + "/people", admin, R"({"person_id":"m-1","roles":["maintainer"],"public_key":"k"})").status,
            201);
  EXPECT_EQ(post(s, other + "/people", admin, R"({"person_id":"m-1","roles":["maintainer"],"public_key":"k"})").status,
            200);
  EXPECT_EQ(get(s, other + "/people", admin).text("/items/0/person_id"), "m-1");
  EXPECT_EQ(call(s, {"PATCH", other + "/people/m-1", admin, R"({"roles":["observer"]})"}).text("/roles/0"), "observer");
  EXPECT_EQ(call(s, {"POST", other + "/people/m-1/token", admin}).status, 201);
  EXPECT_EQ(call(s, {"DELETE", other + "/people/m-1", admin}).status, 200);

  const std::string runner = R"({"runner_id":"ci","public_key":"PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="})";
  EXPECT_EQ(post(s, other + "/runners", admin, runner).status, 201);
  EXPECT_EQ(get(s, other + "/runners", admin).text("/items/0/runner_id"), "ci");
  EXPECT_EQ(call(s, {"DELETE", other + "/runners/ci", admin}).status, 200);
}

void Calls::messages() {
  const Server& s = *server;
  const std::string id = uuid();
  const Answer sent = send(query(id));
  EXPECT_EQ(sent.status, 202);
  EXPECT_EQ(sent.text("/message_id"), id);
  const Answer looked = get(s, workspace + "/messages/" + id, architect);
  EXPECT_EQ(looked.text("/receipts/0/state"), "queued");
  EXPECT_EQ(get(s, workspace + "/agents/developer-01/inbox", developer).text("/items/0/message_id"), id);
  const Answer taken = take();
  EXPECT_EQ(taken.text("/deliveries/0/message/message_id"), id);
  EXPECT_EQ(get(s, workspace + "/messages/" + id, architect).text("/receipts/0/state"), "offered");
  EXPECT_EQ(settle("extend", ids_of(taken, R"(,"lease":"5m")")).status, 200);
  EXPECT_EQ(settle("nack", ids_of(taken, R"(,"delay":"0s","reason":"not now")")).status, 200);
  EXPECT_EQ(settle("ack", ids_of(take(R"({"max":5,"wait":"5s"})"))).status, 200);
  EXPECT_EQ(get(s, workspace + "/messages/" + id, architect).text("/receipts/0/state"), "acked");
  EXPECT_EQ(settle("acted", ids_of(taken)).code(), "SUPERSEDED");  // it was given back since
}

void Calls::messages_taken_back() {
  const Server& s = *server;
  const std::string newer = uuid(), wanted_by = base::to_rfc3339(base::SystemClock().wall() + seconds(3600));
  const std::string earlier = uuid();
  EXPECT_EQ(call(s, {"POST", workspace + "/messages?reply_by=" + wanted_by, architect, query(earlier)}).status, 202);
  EXPECT_EQ(get(s, workspace + "/messages/" + earlier, architect).text("/reply_by"), wanted_by);
  EXPECT_EQ(post(s, workspace + "/messages/" + earlier + "/supersede", architect, query(newer)).status, 202);
  const Answer instead = take();
  EXPECT_EQ(instead.text("/deliveries/0/supersedes/message_id"), earlier);
  const std::string both = R"({"message_ids":[")" + earlier + "\",\"" + newer + "\"]}";
  const Answer stand = post(s, workspace + "/agents/developer-01/inbox/check", developer, both);
  EXPECT_EQ(stand.text("/results/0/superseded_by/message_id"), newer);
  EXPECT_EQ(stand.text("/results/1/status"), "current");
  EXPECT_EQ(settle("acted", ids_of(instead)).status, 200);
  const Answer rescinded = post(s, workspace + "/messages/" + newer + "/rescind", architect, R"({"reason":"done"})");
  EXPECT_EQ(rescinded.text("/receipts/0/state"), "acted");
}

void Calls::logs() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  EXPECT_EQ(get(s, workspace + "/log?max=1000", admin).status, 200);
  EXPECT_EQ(get(s, workspace + "/records?task=T-1&agent=architect-main", architect).status, 200);
}

void Calls::tasks() {
  const Server& s = *server;
  const std::string task = read_file(source_folder() + "/spec/profiles/collab/examples/task_assignment.json");
  EXPECT_EQ(post(s, workspace + "/messages", architect, task).status, 202);
  EXPECT_EQ(get(s, workspace + "/tasks?state=assigned&agent=developer-01", architect).text("/items/0/task_id"),
            "task-settings-loader");
  EXPECT_EQ(get(s, of_task(), developer).text("/legal_next/developer-01/0"), "acknowledgment");
  EXPECT_EQ(post(s, of_task() + "/check", developer, R"({"epoch":1})").text("/status"), "current");
  EXPECT_EQ(
      post(s, of_task() + "/errors", developer,
           R"({"error_type":"scope_violation","error_message":"x","recoverable":true,"suggested_action":"retry"})")
          .text("/error/error_type"),
      "scope_violation");
  const std::string unknown = R"({"task_ids":["task-settings-loader","none"]})";
  EXPECT_EQ(post(s, workspace + "/tasks/wait", architect, unknown).status, 404);
  EXPECT_EQ(post(s, workspace + "/tasks/wait", architect, unknown).text("/error/where"), "/task_ids/1");
  EXPECT_EQ(settle("ack", ids_of(take())).status, 200);
  // Its deadline is long over: the architect was told (COL-08).
  const Answer late = post(s, workspace + "/agents/architect-main/inbox/take", architect, R"({"wait":"5s"})");
  EXPECT_EQ(late.text("/deliveries/0/message/payload/status"), "late");
  const std::string of_next = workspace + "/tasks/task-that-comes-next/dependencies";
  EXPECT_EQ(call(s, {"PUT", of_next, architect, R"({"depends_on":["task-settings-loader"],"dependency_type":"hard"})"})
                .text("/dependencies/0/task_id"),
            "task-settings-loader");
  EXPECT_EQ(get(s, of_next, developer).text("/dependencies/0/dependency_type"), "hard");
  EXPECT_EQ(post(s, of_task() + "/extend", developer, R"({"timeout_seconds":3600})").status, 200);
}

void Calls::reviews() {
  const Server& s = *server;
  make_agent(s, workspace, "reviewer-main", "collab", "reviewer");
  // Completed, and reviewed.
  for (const auto& [name, sender] :
       {std::pair("acknowledgment", developer), {"task_completion", developer}, {"review_request", architect}}) {
    const std::string example = read_file(source_folder() + "/spec/profiles/collab/examples/" + name + ".json");
    EXPECT_EQ(post(s, workspace + "/messages", sender, example).status, 202) << name;
  }
  EXPECT_EQ(
      get(s, workspace + "/reviews?state=requested&task=task-settings-loader", developer).text("/items/0/review_id"),
      "review-settings-2");
  EXPECT_EQ(get(s, workspace + "/reviews/review-settings-2", developer).text("/request/message_type"),
            "review_request");
  // How it stands is for all, what was written for who takes part (COR-12).
  const std::string stranger = make_agent(s, workspace, "passer-by", "mesh", "developer-agent");
  const Answer seen = get(s, workspace + "/reviews/review-settings-2", stranger);
  EXPECT_EQ(seen.text("/state"), "requested");
  EXPECT_FALSE(seen.root().find("request")) << seen.body;
  EXPECT_TRUE(get(s, workspace + "/reviews/review-settings-2", s.admin()).root().find("request"));
  EXPECT_EQ(get(s, of_task() + "/findings", stranger).status, 200);  // of the task: for every member (COL-13)
}

void Calls::ends_of_tasks() {
  const Server& s = *server;
  const Answer heard = post(s, workspace + "/agents/architect-main/inbox/take", architect, R"({"max":1000})");
  EXPECT_EQ(post(s, workspace + "/agents/architect-main/inbox/ack", architect, ids_of(heard)).status, 200);
  EXPECT_EQ(post(s, of_task() + "/abort", architect, R"({"reason":"enough"})").text("/state"), "aborted");
  EXPECT_EQ(settle("ack", ids_of(take())).status, 200);  // the developer was told
  const Answer ended = post(s, workspace + "/tasks/wait", architect,
                            R"({"task_ids":["task-settings-loader"],"mode":"first_failure","timeout":"10s"})");
  EXPECT_TRUE(ended.root().find("done").if_bool().value_or(false)) << ended.body;
  EXPECT_EQ(ended.number("/failed"), 1u);
}

void Calls::help_and_collaborations() {
  const Server& s = *server;
  const std::string stuck = make_agent(s, workspace, "extractor-1", "handoff", "");
  const std::string helper = make_agent(s, workspace, "reviewer-1", "handoff", "");
  const std::string help = read_file(source_folder() + "/spec/profiles/handoff/examples/HELP_REQUEST.json");
  ASSERT_EQ(post(s, workspace + "/messages", stuck, help).status, 202);
  const Answer asks = get(s, workspace + "/help?state=expired&agent=reviewer-1", stuck);  // long over
  EXPECT_EQ(asks.text("/items/0/helper"), "reviewer-1");
  EXPECT_EQ(get(s, workspace + "/help/" + asks.text("/items/0/help_id"), stuck).text("/state"), "expired");
  const auto but = [](std::string text, std::string_view what, std::string_view by) {
    return text.replace(text.find(what), what.size(), by);
  };
  const std::string help_id = uuid();
  const std::string question =
      but(but(but(help, "9e107d9d-372b-4b68-81d1-ac2ed8c1f250", help_id), "\"ttl_ms\": 1800000, ", ""),
          "2026-03-02T09:00:00Z", "2226-03-02T09:00:00Z");
  ASSERT_EQ(post(s, workspace + "/messages", stuck, question).status, 202);
  const std::string reply = read_file(source_folder() + "/spec/profiles/handoff/examples/HELP_RESPONSE.json");
  const std::string meets =
      but(but(reply, "9e107d9d-372b-4b68-81d1-ac2ed8c1f250", help_id), "DIRECT_ANSWER", "COLLABORATIVE_SESSION");
  ASSERT_EQ(post(s, workspace + "/messages", helper, meets).status, 202);
  const Answer together = get(s, workspace + "/collaborations?state=open&agent=reviewer-1", stuck);
  EXPECT_EQ(together.text("/items/0/help_id"), help_id);
  const std::string one = workspace + "/collaborations/" + together.text("/items/0/collaboration_id");
  EXPECT_EQ(get(s, one, helper).text("/said/0/from"), "reviewer-1");
}

void Calls::approvals() {
  const Server& s = *server;
  const std::string triage = make_agent(s, workspace, "triage", "supervisor", "");
  make_agent(s, workspace, "orchestrator", "supervisor", "");
  const std::string person = make_person(s, workspace, "maintainer-9", "maintainer");
  const std::string asked = uuid();
  ASSERT_EQ(post(s, workspace + "/messages", triage, approval_request("triage", asked)).status, 202);
  EXPECT_EQ(get(s, workspace + "/approvals?state=waiting", person).text("/items/0/approval_id"), asked);
  const Answer approval = get(s, workspace + "/approvals/" + asked, triage);
  EXPECT_EQ(approval.text("/state"), "open");
  EXPECT_EQ(post(s, workspace + "/approvals/" + asked + "/decision", person,
                 R"({"decision":"approve","rationale":"Fine","shown":")" + approval.text("/shown") + "\"}")
                .text("/state"),
            "approved");
}

void Calls::dead_letters() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  EXPECT_EQ(send(query()).status, 202);
  std::uint64_t attempts = 0;  // as many as the profile has
  const auto fail = [&] {
    const std::string patiently = R"({"wait":"500ms"})";
    attempts = 0;
    for (Answer failing = take(patiently); failing.root().find("deliveries").size() > 0; failing = take(patiently)) {
      EXPECT_EQ(failing.number("/deliveries/0/attempt"), ++attempts);
      ASSERT_EQ(settle("nack", ids_of(failing, R"(,"delay":"0s")")).status, 200);
    }
  };
  fail();
  EXPECT_GT(attempts, 2u);
  const Answer dead = get(s, workspace + "/deadletters", developer);
  ASSERT_EQ(dead.root().find("items").size(), 1u);
  EXPECT_EQ(dead.json.root().at_pointer("/items/0/history").size(), attempts);
  const std::string letter = workspace + "/deadletters/" + dead.text("/items/0/delivery_id");
  EXPECT_EQ(call(s, {"POST", letter + "/redrive", developer}).status, 200);
  EXPECT_EQ(post(s, letter + "/redrive", developer, "{}").status, 404);
  fail();
  EXPECT_EQ(call(s, {"POST", letter + "/discard", developer}).text("/status"), "discarded");
  EXPECT_EQ(call(s, {"POST", letter + "/discard", developer}).status, 404);
  EXPECT_EQ(get(s, workspace + "/deadletters", developer).root().find("items").size(), 0u);
  const Answer log = get(s, workspace + "/log?max=1000", admin);
  EXPECT_THAT(log.body, testing::HasSubstr(R"("event":"discarded")"));
  EXPECT_THAT(log.body, testing::HasSubstr(R"("by":{"kind":"agent","id":"developer-01"})"));
  // R31: its sender was told, in a frame without a message.
  const Answer notice = post(s, workspace + "/agents/architect-main/inbox/take", architect, "{}");
  EXPECT_EQ(notice.text("/deliveries/0/notice/notice"), "dead");
  EXPECT_EQ(notice.text("/deliveries/0/origin"), "server");
  empty_mailbox();
}

void Calls::limits_and_documents() {
  const Server& s = *server;
  const std::string& admin = s.admin();
  EXPECT_EQ(get(s, "/v1/limits", developer).number("/take/max"), 1000u);
  EXPECT_EQ(get(s, "/v1/limits", developer).number("/connections/without_token"), 8000u);
  EXPECT_EQ(get(s, "/v1/limits", developer).number("/waiting/bytes_of_caller"), 16u << 20);
  // D11: told as it is held to.
  const std::uint64_t largest = get(s, "/v1/limits", developer).number("/request/call_bytes");
  const auto of = [](std::uint64_t bytes) { return R"({"max":1})" + std::string(bytes - 9, ' '); };
  EXPECT_EQ(post(s, workspace + "/agents/developer-01/inbox/take", developer, of(largest)).status, 200);
  EXPECT_EQ(post(s, workspace + "/agents/developer-01/inbox/take", developer, of(largest + 1)).status, 413);
  EXPECT_EQ(get(s, "/healthz", "").status, 200);
  EXPECT_EQ(get(s, "/readyz", "").status, 200);
  EXPECT_THAT(get(s, "/metrics", admin).body, testing::HasSubstr("parley_messages_accepted_total{"));
  EXPECT_EQ(get(s, "/openapi.json", "").text("/openapi"), "3.1.0");
}

// COR-07
TEST_F(Calls, Every_operation_answers_a_valid_call) {
  workspaces();
  agents();
  people_and_runners();
  messages();
  messages_taken_back();
  logs();
  tasks();
  reviews();
  ends_of_tasks();
  help_and_collaborations();
  approvals();
  dead_letters();
  limits_and_documents();
  auto missing = documented_operations();
  for (const std::string& name : answered_operations()) missing.erase(name);
  EXPECT_THAT(missing, testing::ElementsAre("openStream"));  // stream_test.cpp
}

TEST_F(Calls, HEAD_says_what_GET_would_without_a_body) {
  const Answer head = call(*server, {"HEAD", workspace, architect});
  const Answer full = get(*server, workspace, architect);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.reply.field("Content-Length"), std::to_string(full.body.size()));
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(call(*server, {"HEAD", workspace, ""}).status, 401);
}

TEST_F(Calls, What_is_no_object_is_told_to_be_none) {
  for (const char* body : {"7", "null", "\"x\"", "true"}) {
    const Answer refused = send(body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_THAT(refused.text("/error/message"), testing::HasSubstr("no JSON object")) << body;
  }
  EXPECT_THAT(send("[[]]").text("/0/error/message"), testing::HasSubstr("no JSON object"));
}

// MSH-12
TEST_F(Calls, Many_messages_have_an_outcome_each_in_order) {
  const std::string a = uuid(), b = uuid();
  const std::string bad = R"({"message_type":"status_query"})";
  const Answer array = send("[" + query(a) + "," + bad + ",7," + query(b) + "]");
  EXPECT_EQ(array.status, 207);
  EXPECT_EQ(array.text("/0/message_id"), a);
  EXPECT_EQ(array.text("/1/error/code"), "SCHEMA");
  EXPECT_EQ(array.text("/2/error/code"), "BAD_REQUEST");
  EXPECT_EQ(array.text("/3/message_id"), b);
  EXPECT_EQ(array.root().size(), 4u);

  const std::string c = uuid(), d = uuid();
  const Answer lines =
      send(query(c) + "\r\n\n  \n" + bad + "\n{\"cut\n" + query(d), "Application/X-NDJSON; charset=utf-8");
  EXPECT_EQ(lines.status, 207);
  EXPECT_EQ(lines.text("/0/message_id"), c);
  EXPECT_EQ(lines.text("/1/error/code"), "SCHEMA");
  EXPECT_EQ(lines.text("/2/error/code"), "BAD_JSON");
  EXPECT_EQ(lines.text("/3/message_id"), d);

  // Also where a message alone is no JSON by the rules; not where nobody can say where it ends.
  const std::string e = uuid(), f = uuid();
  const Answer twice = send("[" + query(e) + R"(,{"k":1,"k":2},{"n":1e400},)" + query(f) + "]");
  EXPECT_EQ(twice.status, 207);
  EXPECT_EQ(twice.text("/0/message_id"), e);
  EXPECT_EQ(twice.text("/1/error/code"), "BAD_JSON");
  EXPECT_EQ(twice.text("/2/error/code"), "BAD_JSON");
  EXPECT_EQ(twice.text("/3/message_id"), f);
  const std::string g = uuid();
  const Answer no_objects = send("[" + query(g) + R"(,1,"x",[],null,{"n":1e400}])");
  EXPECT_EQ(no_objects.status, 207);
  EXPECT_EQ(no_objects.text("/0/message_id"), g);
  EXPECT_EQ(no_objects.text("/1/error/code"), "BAD_REQUEST");
  EXPECT_EQ(no_objects.text("/4/error/code"), "BAD_REQUEST");
  EXPECT_EQ(no_objects.text("/5/error/code"), "BAD_JSON");
  EXPECT_EQ(no_objects.root().size(), 6u);
  EXPECT_THAT(get(*server, "/metrics", server->admin()).body,
              testing::HasSubstr(R"(parley_messages_refused_total{code="BAD_JSON"} 4)"));
  EXPECT_EQ(send("[" + query(uuid())).code(), "BAD_JSON");
  EXPECT_EQ(send(R"([{"k":"5" pipe"},)" + query(uuid()) + R"(,{"k":"6" pipe"}])").code(), "BAD_JSON");

  EXPECT_EQ(send("[]").body, "[]");
  EXPECT_EQ(send("\n", "application/x-ndjson").body, "[]");

  std::string thousand = "[";
  for (int i = 0; i < 1000; ++i) thousand += "1,";
  EXPECT_EQ(send(thousand + "1]").code(), "PAYLOAD_TOO_LARGE");
  thousand.back() = ']';
  EXPECT_EQ(send(thousand).status, 207);
  std::string many_lines;
  for (int i = 0; i < 1001; ++i) many_lines += "1\n";
  EXPECT_EQ(send(many_lines, "application/x-ndjson").status, 413);
  empty_mailbox();
}

// R8
// COL-21
TEST_F(Calls, The_same_message_again_is_a_duplicate_and_another_of_its_id_a_conflict) {
  const std::string id = uuid();
  const std::string message = query(id);
  const Answer first = send(message);
  const Answer again = send(message);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.text("/status"), "duplicate");
  EXPECT_EQ(again.number("/offset"), first.number("/offset"));
  EXPECT_EQ(again.text("/message_id"), id);
  std::string spaced = message;
  spaced.insert(1, " ");
  EXPECT_EQ(send(spaced).text("/status"), "duplicate");  // the same JSON value
  std::string changed = message;
  changed.replace(changed.find("\"sequence_number\":1"), 19, "\"sequence_number\":2");
  EXPECT_EQ(send(changed).code(), "ID_CONFLICT");
  EXPECT_EQ(take().root().find("deliveries").size(), 1u);
  empty_mailbox();
}

// BEY-03: what a call says beside a message is said of one message, in its own words.
TEST_F(Calls, A_message_is_taken_back_by_who_sent_it) {
  const std::string id = uuid(), place = workspace + "/messages/" + id;
  ASSERT_EQ(send(query(id)).status, 202);
  EXPECT_EQ(post(*server, place + "/rescind", developer, "{}").code(), "FORBIDDEN");
  EXPECT_EQ(post(*server, place + "/supersede", architect, "[" + query() + "," + query() + "]").code(), "BAD_REQUEST");
  EXPECT_EQ(call(*server, {"POST", place + "/supersede", architect, query(), "application/x-ndjson"}).status, 415);
  EXPECT_EQ(post(*server, place + "/rescind", architect, R"({"why":"x"})").code(), "BAD_REQUEST");
  EXPECT_EQ(call(*server, {"POST", workspace + "/messages?reply_by=soon", architect, query()}).code(), "BAD_REQUEST");
  EXPECT_EQ(call(*server, {"POST", workspace + "/messages?reply_by=2020-01-01T00:00:00Z", architect, query()}).code(),
            "BAD_REQUEST");
  EXPECT_EQ(post(*server, place + "/rescind", architect, "{}").text("/status"), "rescinded");
  EXPECT_EQ(post(*server, place + "/rescind", architect, "{}").text("/status"), "already");
  EXPECT_EQ(post(*server, place + "/supersede", architect, query()).code(), "TAKEN_BACK");
  EXPECT_EQ(take().root().find("deliveries").size(), 0u);
  EXPECT_EQ(post(*server, workspace + "/agents/developer-01/inbox/check", developer, "{}").code(), "BAD_REQUEST");
}

// R5, R8: an id for a lenient message that has none.
TEST_F(Calls, An_idempotency_key_names_one_message_without_an_id) {
  const std::string lenient = make_workspace(*server, "lenient", R"(,"validation":"lenient")");
  const std::string a = make_agent(*server, lenient, "architect-main", "collab", "architect");
  make_agent(*server, lenient, "developer-01", "collab", "developer");
  std::string message = query();
  message.erase(1, message.find("\"timestamp\"") - 1);
  const auto send_with = [&](const std::string& key, const std::string& body) {
    return call(*server, {"POST", lenient + "/messages", a, body, "application/json", {{"Idempotency-Key", key}}});
  };
  const Answer first = send_with("k-1", message);
  EXPECT_EQ(first.status, 202) << first.body;
  EXPECT_GT(first.root().find("warnings").size(), 0u);
  EXPECT_EQ(send_with("k-1", message).text("/status"), "duplicate");
  EXPECT_EQ(send_with("k-2", message).text("/status"), "accepted");
  EXPECT_EQ(send_with(std::string(257, 'k'), message).code(), "BAD_REQUEST");
  EXPECT_EQ(send_with("", message).code(), "BAD_REQUEST");
  EXPECT_EQ(send_with("k-3", "[" + message + "]").code(), "BAD_REQUEST");
}

TEST_F(Calls, Settlements_say_what_became_of_each) {
  ASSERT_EQ(send("[" + query() + "," + query() + "]").status, 207);
  const Answer taken = take();
  const std::string first = taken.text("/deliveries/0/delivery_id");
  const std::string both = ids_of(taken);
  EXPECT_EQ(settle("ack", R"({"delivery_ids":[")" + first + "\"]}").status, 200);
  const Answer mixed = settle("ack", both);
  EXPECT_EQ(mixed.status, 207);
  EXPECT_EQ(mixed.text("/results/0/status"), "already");
  EXPECT_EQ(mixed.text("/results/1/status"), "done");
  const Answer unknown = settle("ack", R"({"delivery_ids":["no-such","999999-1","1-99"]})");
  EXPECT_EQ(unknown.status, 207);
  EXPECT_EQ(unknown.text("/results/2/status"), "unknown");

  ASSERT_EQ(send(query()).status, 202);
  const Answer old = take();
  ASSERT_EQ(settle("nack", ids_of(old, R"(,"delay":"0s")")).status, 200);
  const Answer fresh = take(R"({"wait":"5s"})");
  EXPECT_NE(old.text("/deliveries/0/delivery_id"), fresh.text("/deliveries/0/delivery_id"));
  const Answer late = settle("ack", ids_of(old));
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.code(), "SUPERSEDED");
  EXPECT_EQ(late.text("/results/0/status"), "superseded");
  EXPECT_EQ(settle("ack", ids_of(fresh)).status, 200);
  for (const std::string body :
       {R"({"delivery_ids":[]})", "{}", R"({"delivery_ids":[7]})", R"({"delivery_ids":["1-1"],"delay":"1s"})"})
    EXPECT_EQ(settle("ack", body).status, 400) << body;
}

TEST_F(Calls, A_take_id_gives_the_same_deliveries_while_their_lease_holds) {
  ASSERT_EQ(send("[" + query() + "," + query() + "]").status, 207);
  const Answer first = take(R"({"max":1,"take_id":"t-1"})");
  const Answer again = take(R"({"max":1,"take_id":"t-1"})");
  EXPECT_EQ(again.body, first.body);
  const Answer second = take(R"({"max":1,"take_id":"t-2"})");
  EXPECT_NE(second.body, first.body);
  ASSERT_EQ(settle("ack", ids_of(first)).status, 200);
  EXPECT_EQ(take(R"({"max":1,"take_id":"t-1"})").root().find("deliveries").size(), 0u);
  ASSERT_EQ(settle("ack", ids_of(second)).status, 200);
}

// Its first call waits still where nobody reads its answer any more; only the server does not know.
TEST_F(Calls, A_take_id_that_is_repeated_while_it_waits_gives_the_same_deliveries_to_both) {
  const std::string body = R"({"wait":"20s","take_id":"t-7"})";
  Answer first, repeated;
  std::thread waiter([&] { first = take(body); });
  std::this_thread::sleep_for(milliseconds(100));
  std::thread again([&] { repeated = take(body); });
  std::this_thread::sleep_for(milliseconds(100));
  const auto began = Clock::now();
  EXPECT_EQ(send(query()).status, 202);
  waiter.join(), again.join();
  EXPECT_LT(Clock::now() - began, seconds(5));
  EXPECT_EQ(first.number("/deliveries/0/attempt"), 1u);
  EXPECT_EQ(repeated.body, first.body);
  EXPECT_EQ(settle("ack", ids_of(first)).status, 200);
}

TEST_F(Calls, A_take_waits_for_mail_and_no_longer_than_it_was_told) {
  const auto began = Clock::now();
  EXPECT_EQ(take(R"({"wait":"300ms"})").body, R"({"deliveries":[]})");
  EXPECT_GE(Clock::now() - began, milliseconds(300));
  EXPECT_LT(Clock::now() - began, seconds(5));

  Answer taken;
  std::thread waiter([&] { taken = take(R"({"wait":"20s"})"); });
  std::this_thread::sleep_for(milliseconds(100));
  const std::string id = uuid();
  EXPECT_EQ(send(query(id)).status, 202);
  waiter.join();
  EXPECT_EQ(taken.text("/deliveries/0/message/message_id"), id);
  EXPECT_EQ(settle("ack", ids_of(taken)).status, 200);
}

// A taker that is gone takes nothing.
TEST_F(Calls, A_wait_ends_with_its_connection) {
  {
    Wire wire(server->port());
    wire.write(
        bytes_of(*server, {"POST", workspace + "/agents/developer-01/inbox/take", developer, R"({"wait":"30s"})"}));
    std::this_thread::sleep_for(milliseconds(100));
  }
  std::this_thread::sleep_for(milliseconds(1300));  // an end of input may still be a reader, for a second
  const std::string id = uuid();
  EXPECT_EQ(send(query(id)).status, 202);
  const Answer taken = take();
  EXPECT_EQ(taken.text("/deliveries/0/message/message_id"), id);
  EXPECT_EQ(taken.number("/deliveries/0/attempt"), 1u);
  EXPECT_EQ(settle("ack", ids_of(taken)).status, 200);
}

// I4: revoked while it waited.
TEST_F(Calls, A_wait_gives_nothing_to_a_token_that_was_revoked_meanwhile) {
  const std::string old = make_agent(*server, workspace, "developer-77", "collab", "developer");
  Answer taken;
  std::thread waiter(
      [&] { taken = post(*server, workspace + "/agents/developer-77/inbox/take", old, R"({"wait":"20s"})"); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(call(*server, {"POST", workspace + "/agents/developer-77/token", server->admin()}).status, 201);
  EXPECT_EQ(send(status_query("architect-main", "developer-77")).status, 202);
  waiter.join();
  EXPECT_EQ(taken.status, 401);
}

// Whatever it waits for.
TEST_F(Calls, A_wait_ends_when_its_token_is_revoked_or_its_agent_removed) {
  const std::string here = make_workspace(*server, "of-waits");
  const std::string assigner = make_agent(*server, here, "architect-main", "collab", "architect");
  make_agent(*server, here, "developer-01", "collab", "developer");
  const std::string task = read_file(source_folder() + "/spec/profiles/collab/examples/task_assignment.json");
  ASSERT_EQ(post(*server, here + "/messages", assigner, task).status, 202);

  const std::string agent = here + "/agents/observer-01";
  const auto ended_by = [&](const Call& revocation) {
    const std::string token = make_agent(*server, here, "observer-01", "collab", "developer");
    const std::string tasks = R"({"task_ids":["task-settings-loader"],"timeout":"20s"})";
    Answer taken, awaited;
    std::thread taker([&] { taken = post(*server, agent + "/inbox/take", token, R"({"wait":"20s"})"); });
    std::thread waiter([&] { awaited = post(*server, here + "/tasks/wait", token, tasks); });
    std::this_thread::sleep_for(milliseconds(100));
    const auto began = Clock::now();
    EXPECT_LT(call(*server, revocation).status, 300);
    taker.join(), waiter.join();
    EXPECT_LT(Clock::now() - began, seconds(5)) << revocation.method;
    EXPECT_EQ(taken.code(), "UNAUTHENTICATED") << revocation.method;
    EXPECT_EQ(awaited.code(), "UNAUTHENTICATED") << revocation.method;
  };
  ended_by({"DELETE", agent, server->admin()});
  ended_by({"POST", agent + "/token", server->admin(), R"({"grace":"200ms"})"});
}

TEST_F(Calls, The_log_is_read_from_an_offset_on_and_waits_for_more) {
  ASSERT_EQ(send(query()).status, 202);
  const Answer all = get(*server, workspace + "/log?max=1000", server->admin());
  const std::uint64_t next = all.number("/next");
  EXPECT_GT(next, 3u);
  const Answer one = get(*server, workspace + "/log?from=2&max=1", server->admin());
  EXPECT_EQ(one.root().find("items").size(), 1u);
  EXPECT_EQ(one.number("/items/0/offset"), 2u);
  const std::string end = workspace + "/log?from=" + std::to_string(next);
  EXPECT_EQ(get(*server, end, server->admin()).body, R"({"items":[],"next":)" + std::to_string(next) + "}");

  const std::string id = uuid();
  Answer seen;
  std::thread reader([&] { seen = get(*server, end + "&wait=20s", developer); });
  std::this_thread::sleep_for(milliseconds(100));
  // Nothing of this reader's: it must not end the wait.
  make_person(*server, workspace, "observer-9", "observer");
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(send(query(id)).status, 202);
  reader.join();
  EXPECT_EQ(seen.text("/items/0/message_id"), id);
  for (const std::string bad : {"from=x", "from=-1", "max=0", "max=1001", "wait=9", "limit=1"})
    EXPECT_EQ(get(*server, workspace + "/log?" + bad, developer).status, 400) << bad;
  empty_mailbox();
}

// The schemas allow any string there.
TEST_F(Calls, An_id_that_holds_a_nul_is_named_in_a_path) {
  const std::string here = make_workspace(*server, "of-nuls");
  const std::string assigner = make_agent(*server, here, "architect-main", "collab", "architect");
  make_agent(*server, here, "developer-01", "collab", "developer");
  std::string task = read_file(source_folder() + "/spec/profiles/collab/examples/task_assignment.json");
  const std::string id = "task-settings-loader";
  task.replace(task.find(id), id.size(), R"(a\u0000b)");
  ASSERT_EQ(post(*server, here + "/messages", assigner, task).status, 202);
  EXPECT_EQ(get(*server, here + "/tasks/a%00b", assigner).text("/task_id"), std::string("a\0b", 3));
  EXPECT_EQ(get(*server, here + "/tasks/a%00c", assigner).code(), "NOT_FOUND");
  EXPECT_EQ(get(*server, here + "/records?task=a%00b", assigner).status, 200);
}

TEST_F(Calls, Lists_come_in_pages) {
  const std::string paged = make_workspace(*server, "paged");
  for (int i = 0; i < 5; ++i) make_agent(*server, paged, "agent-" + std::to_string(i), "collab", "developer");
  std::vector<std::string> seen;
  std::string after;
  int pages = 0;
  do {
    const Answer page = get(*server, paged + "/agents?limit=2&after=" + after, server->admin());
    ++pages;
    for (const json::Value item : page.root().find("items").elements())
      seen.emplace_back(item.find("agent_id").as_string());
    after = page.text("/next");
  } while (!after.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, (std::vector<std::string>{"agent-0", "agent-1", "agent-2", "agent-3", "agent-4"}));
  EXPECT_EQ(get(*server, paged + "/agents/agent-0/inbox?after=x", server->admin()).code(), "BAD_CURSOR");
}

TEST_F(Calls, Requests_of_another_form_are_refused) {
  const Server& s = *server;
  const std::string take_at = workspace + "/agents/developer-01/inbox/take";
  EXPECT_EQ(call(s, {"PUT", workspace, architect}).status, 405);
  EXPECT_EQ(call(s, {"PUT", workspace, architect}).reply.field("Allow"), "GET, HEAD, PATCH");
  EXPECT_EQ(call(s, {"PUT", workspace, architect}).text("/error/where"), workspace);
  EXPECT_EQ(call(s, {"PUT", workspace, architect}).text("/error/legal_next/1"), "HEAD");
  EXPECT_EQ(get(s, "/v1/nothing", architect).status, 404);
  EXPECT_EQ(get(s, "/v1/workspaces/%00", architect).status, 404);
  EXPECT_EQ(get(s, workspace + "?a=1", architect).status, 400);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{}", "text/plain"}).status, 415);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{}", ""}).status, 415);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{}", "application/json; charset=latin1"}).status, 415);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{}", "application/x-ndjson"}).status, 415);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{}", "application/json", {{"Content-Encoding", "gzip"}}}).status,
            415);
  EXPECT_EQ(call(s, {"POST", take_at, developer, "{", "application/json"}).code(), "BAD_JSON");
  EXPECT_EQ(call(s, {"POST", take_at, developer, "[]"}).code(), "BAD_REQUEST");
  EXPECT_EQ(call(s, {"POST", take_at, developer, R"({"max":0})"}).text("/error/where"), "/max");
  for (const char* lease : {"9999999999d", "13h", "0s", "1us"})
    EXPECT_EQ(
        call(s, {"POST", take_at, developer, R"({"lease":")" + std::string(lease) + R"("})"}).text("/error/where"),
        "/lease");
  EXPECT_EQ(call(s, {"POST", take_at, developer, R"({"a":1})" + std::string(65536, ' ')}).status, 413);
  EXPECT_EQ(call(s, {"DELETE", workspace + "/agents/developer-01", s.admin(), "{}"}).status, 400);  // takes no body
  EXPECT_EQ(send(std::string((8 << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(send("").code(), "BAD_JSON");
  EXPECT_EQ(get(s, workspace + "/stream", "").status, 426);
  EXPECT_EQ(get(s, workspace + "/stream", "").reply.field("Upgrade"), "websocket");
}

TEST_F(Calls, What_is_not_found_is_named_as_the_path_calls_it) {
  const auto where = [](const std::string& path) {
    const Answer answer = get(*server, path, server->admin());
    EXPECT_EQ(answer.status, 404) << path;
    return answer.text("/error/where");
  };
  EXPECT_EQ(where("/v1/workspaces/nowhere"), "workspace");
  EXPECT_EQ(where(workspace + "/agents/nobody"), "id");
  EXPECT_EQ(where(workspace + "/agents/nobody/inbox"), "id");
  for (const auto& [list, member] : {std::pair{"tasks", "task_id"},
                                     {"reviews", "review_id"},
                                     {"help", "help_id"},
                                     {"approvals", "approval_id"},
                                     {"messages", "message_id"},
                                     {"collaborations", "collaboration_id"}})
    EXPECT_EQ(where(workspace + "/" + list + "/nothing"), member);
  EXPECT_EQ(where(workspace + "/tasks/nothing/findings"), "task_id");
  const auto told = [](const Answer& answer) { return answer.code() + " " + answer.text("/error/where"); };
  EXPECT_EQ(told(call(*server, {"DELETE", workspace + "/people/nobody", server->admin()})), "NOT_FOUND id");
  EXPECT_EQ(told(call(*server, {"DELETE", workspace + "/runners/nobody", server->admin()})), "NOT_FOUND id");
  EXPECT_EQ(told(post(*server, workspace + "/deadletters/1-0@nobody/discard", server->admin(), "{}")),
            "NOT_FOUND delivery_id");
  EXPECT_EQ(told(post(*server, workspace + "/agents/developer-01/inbox/take", architect, "{}")), "FORBIDDEN id");
  EXPECT_EQ(told(get(*server, workspace + "/agents/developer-01/inbox", architect)), "FORBIDDEN id");
  EXPECT_EQ(told(post(*server, workspace + "/messages", server->admin(), query())), "FORBIDDEN Authorization");
}

TEST_F(Calls, An_error_says_what_is_so_and_what_to_do) {
  const Answer unknown = send(status_query("architect-main", "developer-99"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.code(), "RECIPIENT_UNKNOWN");
  const Answer as_another = send(status_query("developer-01", "developer-01"));
  EXPECT_EQ(as_another.status, 403);
  EXPECT_EQ(as_another.code(), "SENDER_MISMATCH");
  std::string broken = query();
  broken.replace(broken.find("\"session\""), 9, "\"planet\"");
  const Answer schema = send(broken);
  EXPECT_EQ(schema.status, 422);
  EXPECT_EQ(schema.text("/error/details/0/instance"), "/payload/scope");
  std::string nonsense = query();
  nonsense.replace(nonsense.find("status_query"), 12, "stats_query");
  EXPECT_GT(send(nonsense).root().at_pointer("/error/legal_next").size(), 5u);
}

// D11
TEST_F(Calls, A_full_mailbox_is_said_before_anything_is_accepted) {
  const std::string tight = make_workspace(*server, "tight", R"(,"settings":{"mailbox_messages":2})");
  const std::string a = make_agent(*server, tight, "architect-main", "collab", "architect");
  make_agent(*server, tight, "developer-01", "collab", "developer");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(post(*server, tight + "/messages", a, query()).status, 202);
  const Answer full = post(*server, tight + "/messages", a, query());
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(full.code(), "MAILBOX_FULL");
  EXPECT_EQ(full.reply.field("Retry-After"), "1");
}

TEST_F(Calls, MSH_15_who_sends_too_fast_is_told_when_to_go_on) {
  const std::string slow = make_workspace(*server, "slow", R"(,"settings":{"rate_messages":2,"rate_window":"1h"})");
  const std::string a = make_agent(*server, slow, "architect-main", "collab", "architect");
  make_agent(*server, slow, "developer-01", "collab", "developer");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(post(*server, slow + "/messages", a, query()).status, 202);
  const Answer over = post(*server, slow + "/messages", a, query());
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(over.code(), "RATE_LIMITED");
  EXPECT_NE(over.text("/error/message").find("the limit is 2 in 1h"), std::string::npos);
  EXPECT_FALSE(over.text("/error/retry_after").empty());
  const int retry_after = std::stoi(over.reply.field("Retry-After"));
  EXPECT_GT(retry_after, 3'500);
  EXPECT_LE(retry_after, 3'660);  // a step of the window on top
  EXPECT_EQ(*get(*server, "/v1/limits", a).root().at_pointer("/rates/mesh/messages").if_uint(), 600u);
}

TEST_F(Calls, SUP_08_what_single_profiles_bound_is_told) {
  const auto limits = get(*server, "/v1/limits", developer);
  EXPECT_EQ(limits.number("/profiles/supervisor/message_bytes"), 102'400u);
  EXPECT_EQ(limits.number("/profiles/supervisor/rules/RATIONALE_LENGTH/max"), 1'000u);
  EXPECT_EQ(limits.text("/profiles/supervisor/rules/ACTIONS/unit"), "items");
}

}  // namespace
}  // namespace parley::e2e
