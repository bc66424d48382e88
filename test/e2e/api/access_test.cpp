// I1: every call as every kind of caller, held to a table in which each operation of the document has a row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "api.hpp"

namespace parley::e2e {
namespace {

enum Who { nobody, bad, revoked, foreign, agent, observer, maintainer, admin, count };
constexpr std::array<std::string_view, count> names = {"nobody",   "bad token", "revoked",    "foreign agent",
                                                       "an agent", "observer",  "maintainer", "admin"};

// Statuses in the order of Who. What is done is done to somebody else than the caller.
const std::map<std::string, std::array<int, count>> table = {
    // clang-format off
    {"createWorkspace",   {401, 401, 401, 403, 403, 403, 403, 201}},
    {"listWorkspaces",    {401, 401, 401, 200, 200, 200, 200, 200}},
    {"getWorkspace",      {401, 401, 401, 404, 200, 200, 200, 200}},
    {"changeWorkspace",   {401, 401, 401, 404, 403, 403, 200, 200}},
    {"registerAgent",     {401, 401, 401, 404, 403, 403, 201, 201}},
    {"listAgents",        {401, 401, 401, 404, 200, 200, 200, 200}},
    {"getAgent",          {401, 401, 401, 404, 200, 200, 200, 200}},
    {"changeAgent",       {401, 401, 401, 404, 403, 403, 200, 200}},
    {"allocateResource",  {401, 401, 401, 404, 403, 403, 200, 200}},
    {"removeAgent",       {401, 401, 401, 404, 403, 403, 200, 200}},
    {"rotateAgentToken",  {401, 401, 401, 404, 403, 403, 201, 201}},
    {"registerPerson",    {401, 401, 401, 404, 403, 403, 201, 201}},
    {"listPeople",        {401, 401, 401, 404, 200, 200, 200, 200}},
    {"changePerson",      {401, 401, 401, 404, 403, 403, 200, 200}},
    {"removePerson",      {401, 401, 401, 404, 403, 403, 200, 200}},
    {"rotatePersonToken", {401, 401, 401, 404, 403, 403, 201, 201}},
    {"registerRunner",    {401, 401, 401, 404, 403, 403, 201, 201}},
    {"listRunners",       {401, 401, 401, 404, 200, 200, 200, 200}},
    {"revokeRunner",      {401, 401, 401, 404, 403, 403, 404, 404}},
    {"sendMessages",      {401, 401, 401, 404, 202, 403, 403, 403}},
    {"getMessage",        {401, 401, 401, 404, 404, 200, 200, 200}},
    {"supersedeMessage",  {401, 401, 401, 404, 404, 403, 403, 403}},
    {"rescindMessage",    {401, 401, 401, 404, 404, 403, 403, 403}},
    {"listRecords",       {401, 401, 401, 404, 200, 200, 200, 200}},
    {"listTasks",         {401, 401, 401, 404, 200, 200, 200, 200}},
    {"getTask",           {401, 401, 401, 404, 200, 200, 200, 200}},
    {"awaitTasks",        {401, 401, 401, 404, 200, 200, 200, 200}},
    {"listDependencies",  {401, 401, 401, 404, 200, 200, 200, 200}},
    {"setDependencies",   {401, 401, 401, 404, 200, 403, 200, 200}},
    {"extendTask",        {401, 401, 401, 404, 403, 403, 422, 422}},
    {"reportTaskError",   {401, 401, 401, 404, 403, 403, 422, 422}},
    {"abortTask",         {401, 401, 401, 404, 404, 403, 404, 404}},
    {"checkTask",         {401, 401, 401, 404, 200, 200, 200, 200}},
    {"listFindings",      {401, 401, 401, 404, 200, 200, 200, 200}},
    {"listReviews",       {401, 401, 401, 404, 200, 200, 200, 200}},
    {"getReview",         {401, 401, 401, 404, 200, 200, 200, 200}},
    {"listHelp",          {401, 401, 401, 404, 200, 200, 200, 200}},
    {"getHelp",           {401, 401, 401, 404, 404, 200, 200, 200}},
    {"listCollaborations",{401, 401, 401, 404, 200, 200, 200, 200}},
    {"getCollaboration",  {401, 401, 401, 404, 404, 404, 404, 404}},  // there is none
    {"listApprovals",     {401, 401, 401, 404, 200, 200, 200, 200}},
    {"getApproval",       {401, 401, 401, 404, 404, 200, 200, 200}},
    {"decideApproval",    {401, 401, 401, 404, 404, 403, 200, 403}},
    {"lookIntoInbox",     {401, 401, 401, 404, 403, 200, 200, 200}},
    {"takeMessages",      {401, 401, 401, 404, 403, 403, 403, 403}},
    {"ackDeliveries",     {401, 401, 401, 404, 403, 403, 403, 403}},
    {"actOnDeliveries",   {401, 401, 401, 404, 403, 403, 403, 403}},
    {"nackDeliveries",    {401, 401, 401, 404, 403, 403, 403, 403}},
    {"extendLeases",      {401, 401, 401, 404, 403, 403, 403, 403}},
    {"checkDeliveries",   {401, 401, 401, 404, 403, 403, 403, 403}},
    {"listDeadLetters",   {401, 401, 401, 404, 200, 200, 200, 200}},
    {"redriveDeadLetter", {401, 401, 401, 404, 403, 403, 404, 404}},
    {"discardDeadLetter", {401, 401, 401, 404, 403, 403, 404, 404}},
    {"readLog",           {401, 401, 401, 404, 200, 200, 200, 200}},
    {"openStream",        {4401, 4401, 4401, 4401, 0, 4401, 4401, 4401}},  // after hello; 0: welcome
    {"getLimits",         {401, 401, 401, 200, 200, 200, 200, 200}},
    {"getHealth",         {200, 200, 200, 200, 200, 200, 200, 200}},
    {"getReadiness",      {200, 200, 200, 200, 200, 200, 200, 200}},
    {"getMetrics",        {401, 401, 401, 403, 403, 403, 403, 200}},
    {"getOpenApi",        {200, 200, 200, 200, 200, 200, 200, 200}},
    // clang-format on
};

struct Access : testing::Test {
  Server server;
  std::string home = make_workspace(server, "home");
  std::string away = make_workspace(server, "away");
  std::array<std::string, count> tokens;
  std::string owner, other, message;
  std::array<std::string, count> approvals, shown;  // one for each caller to decide

  void SetUp() override {
    owner = make_agent(server, home, "developer-01", "collab", "developer");
    other = make_agent(server, home, "architect-main", "collab", "architect");
    tokens[bad] = "pt_" + std::string(64, '0');
    tokens[revoked] = make_agent(server, home, "architect-02", "collab", "architect");
    ASSERT_EQ(call(server, {"POST", home + "/agents/architect-02/token", server.admin()}).status, 201);
    tokens[foreign] = make_agent(server, away, "architect-03", "collab", "architect");
    tokens[agent] = make_agent(server, home, "architect-03", "collab", "architect");
    tokens[observer] = make_person(server, home, "observer-1", "observer");
    tokens[maintainer] = make_person(server, home, "maintainer-1", "maintainer");
    tokens[admin] = server.admin();
    message = uuid();
    ASSERT_EQ(post(server, home + "/messages", other, status_query("architect-main", "developer-01", message)).status,
              202);
    make_agent(server, home, "reviewer-main", "collab", "reviewer");
    for (const auto& [name, sender] : {std::pair("task_assignment", other),
                                       {"acknowledgment", owner},
                                       {"task_completion", owner},
                                       {"review_request", other}}) {
      const std::string example = read_file(source_folder() + "/spec/profiles/collab/examples/" + name + ".json");
      ASSERT_EQ(post(server, home + "/messages", sender, example).status, 202) << name;
    }
    const std::string stuck = make_agent(server, home, "extractor-1", "handoff", "");
    make_agent(server, home, "reviewer-1", "handoff", "");
    const std::string help = read_file(source_folder() + "/spec/profiles/handoff/examples/HELP_REQUEST.json");
    ASSERT_EQ(post(server, home + "/messages", stuck, help).status, 202);
    const std::string triage = make_agent(server, home, "triage", "supervisor", "");
    make_agent(server, home, "orchestrator", "supervisor", "");
    for (int who = 0; who < count; ++who) {
      approvals[who] = uuid();
      ASSERT_EQ(post(server, home + "/messages", triage, approval_request("triage", approvals[who])).status, 202);
      shown[who] = get(server, home + "/approvals/" + approvals[who], server.admin()).text("/shown");
    }
  }

  // A valid call of an operation, with a thing of its own for each caller.
  Call valid(const std::string& operation, int who) const {
    const std::string n = std::to_string(who);
    const std::string victim = home + "/agents/victim-" + n;
    const std::string person = home + "/people/victim-" + n + "p";
    const std::string inbox = home + "/agents/developer-01/inbox";
    const std::string ids = R"({"delivery_ids":["1-1"]})";
    const std::map<std::string, Call> calls = {
        {"createWorkspace", {"POST", "/v1/workspaces", "", "{\"name\":\"made-" + n + "\"}"}},
        {"listWorkspaces", {"GET", "/v1/workspaces"}},
        {"getWorkspace", {"GET", home}},
        {"changeWorkspace", {"PATCH", home, "", "{}"}},
        {"registerAgent", {"POST", home + "/agents", "", "{\"agent_id\":\"new-" + n + "\",\"profile\":\"collab\"}"}},
        {"listAgents", {"GET", home + "/agents"}},
        {"getAgent", {"GET", home + "/agents/architect-02"}},
        {"changeAgent", {"PATCH", victim, "", "{\"max_load\":1}"}},
        {"allocateResource", {"PUT", home + "/agents/architect-02/allocations/tokens", "", "{\"limit\":1}"}},
        {"removeAgent", {"DELETE", victim}},
        {"rotateAgentToken", {"POST", home + "/agents/architect-02/token"}},
        {"registerPerson", {"POST", home + "/people", "", "{\"person_id\":\"new-" + n + "p\",\"roles\":[]}"}},
        {"listPeople", {"GET", home + "/people"}},
        {"changePerson", {"PATCH", person, "", "{\"roles\":[]}"}},
        {"removePerson", {"DELETE", person}},
        {"rotatePersonToken", {"POST", person + "/token"}},
        {"registerRunner",
         {"POST", home + "/runners", "",
          "{\"runner_id\":\"new-" + n + "r\",\"public_key\":\"PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Z" + n +
              "w=\"}"}},
        {"listRunners", {"GET", home + "/runners"}},
        {"revokeRunner", {"DELETE", home + "/runners/victim"}},
        {"sendMessages", {"POST", home + "/messages", "", status_query("architect-03", "developer-01")}},
        {"getMessage", {"GET", home + "/messages/" + message}},
        {"supersedeMessage",
         {"POST", home + "/messages/" + message + "/supersede", "", status_query("architect-03", "developer-01")}},
        {"rescindMessage", {"POST", home + "/messages/" + message + "/rescind", "", "{}"}},
        {"listRecords", {"GET", home + "/records"}},
        {"listTasks", {"GET", home + "/tasks"}},
        {"getTask", {"GET", home + "/tasks/task-settings-loader"}},
        {"awaitTasks", {"POST", home + "/tasks/wait", "", "{\"task_ids\":[\"task-settings-loader\"]}"}},
        {"listDependencies", {"GET", home + "/tasks/task-settings-loader/dependencies"}},
        {"setDependencies",
         {"PUT", home + "/tasks/not-assigned-yet-" + n + "/dependencies", "",
          R"({"depends_on":["task-settings-loader"],"dependency_type":"hard"})"}},
        {"extendTask",
         {"POST", home + "/tasks/task-settings-loader/extend", "", R"({"timeout_seconds":600,"reason":"slow"})"}},
        {"reportTaskError",
         {"POST", home + "/tasks/task-settings-loader/errors", "",
          R"({"error_type":"scope_violation","error_message":"x","recoverable":true,"suggested_action":"retry"})"}},
        {"abortTask", {"POST", home + "/tasks/nobodys/abort", "", "{}"}},
        {"checkTask", {"POST", home + "/tasks/task-settings-loader/check", "", "{\"epoch\":1}"}},
        {"listFindings", {"GET", home + "/tasks/task-settings-loader/findings"}},
        {"listReviews", {"GET", home + "/reviews"}},
        {"getReview", {"GET", home + "/reviews/review-settings-2"}},
        {"listHelp", {"GET", home + "/help"}},
        {"getHelp", {"GET", home + "/help/9e107d9d-372b-4b68-81d1-ac2ed8c1f250"}},
        {"listCollaborations", {"GET", home + "/collaborations"}},
        {"getCollaboration", {"GET", home + "/collaborations/9e107d9d-372b-4b68-81d1-ac2ed8c1f260"}},
        {"listApprovals", {"GET", home + "/approvals"}},
        {"getApproval", {"GET", home + "/approvals/" + approvals[who]}},
        {"decideApproval",
         {"POST", home + "/approvals/" + approvals[who] + "/decision", "",
          R"({"decision":"approve","rationale":"Fine","shown":")" + shown[who] + "\"}"}},
        {"lookIntoInbox", {"GET", inbox}},
        {"takeMessages", {"POST", inbox + "/take"}},
        {"ackDeliveries", {"POST", inbox + "/ack", "", ids}},
        {"actOnDeliveries", {"POST", inbox + "/acted", "", ids}},
        {"nackDeliveries", {"POST", inbox + "/nack", "", ids}},
        {"extendLeases", {"POST", inbox + "/extend", "", ids}},
        {"checkDeliveries", {"POST", inbox + "/check", "", ids}},
        {"listDeadLetters", {"GET", home + "/deadletters"}},
        {"redriveDeadLetter", {"POST", home + "/deadletters/1-1/redrive"}},
        {"discardDeadLetter", {"POST", home + "/deadletters/1-1/discard"}},
        {"readLog", {"GET", home + "/log"}},
        {"getLimits", {"GET", "/v1/limits"}},
        {"getHealth", {"GET", "/healthz"}},
        {"getReadiness", {"GET", "/readyz"}},
        {"getMetrics", {"GET", "/metrics"}},
        {"getOpenApi", {"GET", "/openapi.json"}},
    };
    Call call = calls.at(operation);
    call.token = tokens[who];
    return call;
  }

  int greet(int who) const {
    Socket socket(server.port(), home + "/stream");
    EXPECT_EQ(socket.handshake().status, 101);
    socket.send(R"({"id":1,"op":"hello","token":")" + tokens[who] + R"(","credit":1})");
    const auto first = socket.next();
    if (first && first->starts_with(R"({"op":"welcome")")) return 0;
    EXPECT_TRUE(first && first->starts_with(R"({"op":"result","re":1,"error":)")) << first.value_or("");
    return socket.closed();
  }
};

// COR-03: who has a token of another workspace (`foreign`) finds nothing in this one, whatever the operation.
TEST_F(Access, I1_is_denied_by_default_in_every_cell) {
  int cells = 0;
  for (int who = 0; who < count; ++who) {
    make_agent(server, home, "victim-" + std::to_string(who), "collab", "developer");
    make_person(server, home, "victim-" + std::to_string(who) + "p", "observer");
  }
  // Removals last: what they remove is what the others are tried on.
  const auto operations = documented_operations();
  ASSERT_EQ(operations.size(), table.size());
  std::vector<std::string> in_order(operations.begin(), operations.end());
  std::stable_partition(in_order.begin(), in_order.end(), [](const auto& name) { return !name.starts_with("remove"); });
  for (const std::string& operation : in_order) {
    ASSERT_TRUE(table.contains(operation)) << operation << " has no row";
    for (int who = 0; who < count; ++who) {
      ++cells;
      const int expected = table.at(operation)[static_cast<std::size_t>(who)];
      if (operation == "openStream") {
        EXPECT_EQ(greet(who), expected) << names[static_cast<std::size_t>(who)];
        continue;
      }
      const Answer answer = call(server, valid(operation, who));
      EXPECT_EQ(answer.status, expected) << operation << " as " << names[static_cast<std::size_t>(who)] << ": "
                                         << answer.body;
      EXPECT_EQ(answer.reply.field("WWW-Authenticate"), answer.status == 401 ? "Bearer" : "");
    }
  }
  EXPECT_EQ(cells, static_cast<int>(table.size()) * count);
}

// Who has no token is told the same wherever it knocks, whatever it sends.
TEST_F(Access, Without_a_token_nothing_can_be_told_apart) {
  std::string said;
  for (const Call& knock : {Call{"GET", home}, Call{"GET", "/v1/workspaces/none"}, Call{"GET", "/nothing"},
                            Call{"PUT", home}, Call{"GET", home + "?x=1"}, Call{"GET", "/v1/workspaces/%zz"},
                            Call{"POST", home + "/messages", "", "{", "text/plain"},
                            Call{"POST", "/v1/workspaces", "", std::string(70'000, ' ')}, Call{"GET", "/metrics"}}) {
    const Answer answer = call(server, knock);
    EXPECT_EQ(answer.status, 401) << knock.method << ' ' << knock.target;
    if (said.empty()) said = answer.body;
    EXPECT_EQ(answer.body, said) << knock.method << ' ' << knock.target;
  }
}

// What is there and may not be seen is answered as what is not there, but for the name that was asked about.
// COR-03
TEST_F(Access, What_may_not_be_seen_is_not_there) {
  const auto same = [&](const std::string& there, const std::string& not_there, Call call_there, Call call_not) {
    const Answer a = call(server, call_there);
    const Answer b = call(server, call_not);
    EXPECT_EQ(a.status, b.status);
    std::string text = a.body;
    for (std::size_t at = text.find(there); at != std::string::npos; at = text.find(there, at + not_there.size()))
      text.replace(at, there.size(), not_there);
    EXPECT_EQ(text, b.body);
  };
  const std::string unknown = uuid();
  same(message, unknown, {"GET", home + "/messages/" + message, tokens[agent]},
       {"GET", home + "/messages/" + unknown, tokens[agent]});
  const std::vector<std::string> paths = {
      "", "/agents", "/log", "/deadletters", "/messages/" + message, "/agents/developer-01/inbox"};
  for (const std::string& path : paths)
    same("home", "none", {"GET", home + path, tokens[foreign]}, {"GET", "/v1/workspaces/none" + path, tokens[foreign]});
  for (const std::string path : {"/inbox", "/inbox/take", "/inbox/ack", "/token"}) {
    const std::string method = path == "/inbox" ? "GET" : "POST";
    const std::string body = path == "/inbox/ack" ? R"({"delivery_ids":["1-1"]})" : "";
    same("developer-01", "developer-99", {method, home + "/agents/developer-01" + path, tokens[agent], body},
         {method, home + "/agents/developer-99" + path, tokens[agent], body});
  }
  same("developer-01", "developer-99", {"DELETE", home + "/agents/developer-01", tokens[agent]},
       {"DELETE", home + "/agents/developer-99", tokens[agent]});
}

// I1: nor can it be told by the time it takes.
TEST_F(Access, What_may_not_be_seen_takes_as_long_as_what_is_not_there) {
  const auto median = [&](const Call& asked) {
    std::vector<std::chrono::microseconds> took;
    for (int i = 0; i < 41; ++i) {
      const auto began = std::chrono::steady_clock::now();
      call(server, asked);
      took.push_back(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began));
    }
    std::nth_element(took.begin(), took.begin() + 20, took.end());
    return took[20];
  };
  const auto hidden = median({"GET", home + "/messages/" + message, tokens[agent]});
  const auto unknown = median({"GET", home + "/messages/" + uuid(), tokens[agent]});
  EXPECT_LT(std::chrono::abs(hidden - unknown), std::chrono::milliseconds(5));
}

// I4: a token that was given grace is void when that is over.
TEST_F(Access, A_token_is_void_when_its_grace_is_over) {
  const std::string at = home + "/agents/developer-01/token";
  EXPECT_EQ(post(server, at, server.admin(), R"({"grace":"400ms"})").status, 201);
  EXPECT_EQ(get(server, home, owner).status, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(get(server, home, owner).status, 401);
}

TEST_F(Access, An_agent_has_its_own) {
  const std::string mine = home + "/agents/developer-01";
  EXPECT_EQ(get(server, mine + "/inbox", owner).status, 200);
  const Answer taken = call(server, {"POST", mine + "/inbox/take", owner});
  EXPECT_EQ(taken.root().find("deliveries").size(), 1u);
  EXPECT_EQ(get(server, home + "/messages/" + message, owner).status, 200);
  EXPECT_EQ(get(server, home + "/messages/" + message, other).status, 200);
  EXPECT_EQ(get(server, "/v1/workspaces", owner).root().find("items").size(), 1u);
  EXPECT_EQ(call(server, {"POST", mine + "/token", owner}).status, 201);
  EXPECT_EQ(get(server, home, owner).status, 401);
}

// I5, D10: what a body says of who it is from counts for nothing.
TEST_F(Access, A_body_claims_no_identity) {
  const Answer refused =
      post(server, home + "/messages", tokens[agent], status_query("architect-main", "developer-01"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code(), "SENDER_MISMATCH");
}

// An agent reads its own part of the log.
TEST_F(Access, An_agent_sees_of_the_log_what_is_about_it) {
  const std::string by_others = get(server, home + "/log?max=1000", tokens[agent]).body;
  EXPECT_EQ(by_others.find(message), std::string::npos);
  EXPECT_NE(get(server, home + "/log?max=1000", owner).body.find(message), std::string::npos);
  EXPECT_NE(get(server, home + "/log?max=1000", tokens[observer]).body.find(message), std::string::npos);
}

// I3
TEST_F(Access, Tokens_are_in_no_log_and_no_answer_but_the_first) {
  for (const int who : {revoked, foreign, agent, observer, maintainer}) {
    const std::string& token = tokens[static_cast<std::size_t>(who)];
    EXPECT_EQ(get(server, "/metrics", server.admin()).body.find(token), std::string::npos);
    EXPECT_EQ(get(server, home + "/log?max=1000", server.admin()).body.find(token), std::string::npos);
    EXPECT_EQ(get(server, home + "/agents", token).body.find(token), std::string::npos);
  }
  server.stop();
  const std::string log = read_file(server.folder() + "/server.log");
  for (const std::string& token : tokens) EXPECT_TRUE(token.empty() || log.find(token) == std::string::npos);
}

}  // namespace
}  // namespace parley::e2e
