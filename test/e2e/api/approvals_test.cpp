// Decisions over HTTP and the command line: what is shown, who may, and how each wrong one is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api.hpp"
#include "base/hash.hpp"
#include "command.hpp"

namespace parley::e2e {
namespace {

using testing::HasSubstr;

struct Approvals : testing::Test {
  static inline std::unique_ptr<Server> server;
  static inline int workspaces = 0;
  std::string name, workspace, triage, orchestrator, ada, bob;

  static void SetUpTestSuite() { server = std::make_unique<Server>(); }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override {
    name = "approvals-" + std::to_string(++workspaces);
    workspace = make_workspace(*server, name);
    triage = make_agent(*server, workspace, "triage", "supervisor", "");
    orchestrator = make_agent(*server, workspace, "orchestrator", "supervisor", "");
    ada = make_person(*server, workspace, "ada", "approver");
    bob = make_person(*server, workspace, "bob", "maintainer");
  }

  std::string ask(const std::string& more = R"(,"approvers_tagged":["@ada"])") const {
    const std::string id = uuid();
    EXPECT_EQ(post(*server, workspace + "/messages", triage, approval_request("triage", id, more)).status, 202);
    return id;
  }
  Answer approval(const std::string& id, const std::string& token) const {
    return get(*server, workspace + "/approvals/" + id, token);
  }
  Answer decide(const std::string& id, const std::string& token, const std::string& decision = "approve",
                const std::string& more = "", std::string shown = "") const {
    if (shown.empty()) shown = approval(id, server->admin()).text("/shown");
    return post(
        *server, workspace + "/approvals/" + id + "/decision", token,
        R"({"decision":")" + decision + R"(","rationale":"I looked at it","shown":")" + shown + "\"" + more + "}");
  }
  Answer inbox(const std::string& agent, const std::string& token) const {
    return post(*server, workspace + "/agents/" + agent + "/inbox/take", token, R"({"max":10})");
  }
};

// SUP-05: what is shown is what the agent sent, byte for byte, and a decision is about its SHA-256.
TEST_F(Approvals, Show_the_bytes_that_were_sent_and_their_hash) {
  const std::string id = uuid();
  const std::string sent = approval_request("triage", id, R"(,   "note" : 1.50 )");
  ASSERT_EQ(post(*server, workspace + "/messages", triage, sent).status, 202);
  const Answer shown = approval(id, ada);
  EXPECT_THAT(shown.body, HasSubstr(sent));
  EXPECT_EQ(shown.text("/shown"), base::to_hex(base::sha256(sent)));
}

// SUP-05: decided once, told to the worker and the orchestrator, attributed.
TEST_F(Approvals, Are_decided_once_and_the_agents_hear_of_it) {
  const std::string id = ask();
  const Answer decided = decide(id, ada);
  EXPECT_EQ(decided.status, 200);
  EXPECT_EQ(decided.text("/decision/decided_by"), "ada");
  EXPECT_EQ(decide(id, ada).code(), "APPROVAL_DECIDED");
  EXPECT_EQ(decide(id, ada, "reject").code(), "APPROVAL_DECIDED");
  for (const auto& [agent, token] : {std::pair{"triage", triage}, {"orchestrator", orchestrator}}) {
    const Answer taken = inbox(agent, token);
    EXPECT_EQ(taken.text("/deliveries/0/message/message_type"), "hitl_decision") << agent;
    EXPECT_EQ(taken.text("/deliveries/0/message/approval_id"), id);
    EXPECT_EQ(taken.text("/deliveries/0/message/decided_by"), "ada");
    EXPECT_EQ(taken.text("/deliveries/0/origin"), "server");
  }
  EXPECT_THAT(get(*server, workspace + "/log", bob).body, HasSubstr(R"("event":"approval_refused")"));
}

// SUP-05, R22: neither the asker nor another agent, nor the admin, nor a person who is not entitled.
TEST_F(Approvals, Are_decided_by_nobody_who_is_not_entitled) {
  const std::string id = ask();
  const std::string eve = make_person(*server, workspace, "eve", "observer");
  EXPECT_EQ(decide(id, triage).code(), "APPROVAL_NOT_ENTITLED");
  EXPECT_EQ(decide(id, orchestrator).code(), "APPROVAL_NOT_ENTITLED");
  EXPECT_EQ(decide(id, server->admin()).code(), "APPROVAL_NOT_ENTITLED");
  EXPECT_EQ(decide(id, bob).code(), "APPROVAL_NOT_ENTITLED") << "ada is named, and it has not escalated";
  EXPECT_EQ(decide(id, eve).code(), "APPROVAL_NOT_ENTITLED");
  const std::string stranger = make_agent(*server, workspace, "scribe", "supervisor", "");
  EXPECT_EQ(decide(id, stranger).code(), "APPROVAL_UNKNOWN");
  EXPECT_EQ(approval(id, stranger).code(), "APPROVAL_UNKNOWN");
  EXPECT_EQ(get(*server, workspace + "/approvals", stranger).root().find("items").size(), 0u);
  EXPECT_EQ(decide(id, "pt_of_nobody", "approve", "", std::string(64, '0')).status, 401);
  EXPECT_EQ(approval(id, ada).text("/state"), "open");
  EXPECT_EQ(decide(id, ada).status, 200);
}

// SUP-05: each wrong decision has its own refusal, and none of them decides.
TEST_F(Approvals, Refuse_what_is_no_decision_about_them) {
  const std::string id = ask();
  EXPECT_EQ(decide(uuid(), ada, "approve", "", std::string(64, '0')).code(), "APPROVAL_UNKNOWN");
  EXPECT_EQ(decide(id, ada, "approve", "", std::string(64, '0')).code(), "APPROVAL_SHOWN_OTHER");
  EXPECT_EQ(decide(id, ada, "approve", "", "no hash").code(), "BAD_REQUEST");
  EXPECT_EQ(decide(id, ada, "later").code(), "BAD_REQUEST");
  EXPECT_EQ(decide(id, ada, "modify").code(), "BAD_REQUEST") << "without the changed action";
  EXPECT_EQ(decide(id, ada, "approve", R"(,"modified_action":{"action_type":"x"})").code(), "BAD_REQUEST");
  const Answer broken = decide(id, ada, "modify", R"(,"modified_action":{"issue_number":0})");
  EXPECT_EQ(broken.code(), "SCHEMA");
  EXPECT_EQ(broken.json.root().at_pointer("/error/details").size(), 2u) << broken.body;
  EXPECT_EQ(decide(ask(R"(,"human_decision_options":["approve"])"), bob, "modify",
                   R"(,"modified_action":{"action_type":"x"})")
                .code(),
            "APPROVAL_NOT_OFFERED");
  EXPECT_EQ(approval(id, ada).text("/state"), "open");
  const Answer changed = decide(id, ada, "modify", R"(,"modified_action":{"action_type":"comment","issue_number":7})");
  EXPECT_EQ(changed.text("/state"), "modified");
  EXPECT_EQ(inbox("triage", triage).text("/deliveries/0/message/modified_action/action_type"), "comment");
}

// SUP-05: listed by state, page by page.
TEST_F(Approvals, Are_listed) {
  const std::string first = ask(), second = ask(), third = ask();
  ASSERT_EQ(decide(second, ada, "reject").status, 200);
  const Answer page = get(*server, workspace + "/approvals?limit=2", bob);
  EXPECT_EQ(page.text("/items/1/state"), "rejected");
  const Answer rest = get(*server, workspace + "/approvals?limit=2&after=" + page.text("/next"), bob);
  EXPECT_EQ(rest.text("/items/0/approval_id"), third);
  EXPECT_EQ(get(*server, workspace + "/approvals?state=waiting", triage).root().find("items").size(), 2u);
  EXPECT_EQ(get(*server, workspace + "/approvals?state=undecided", triage).status, 400);
  EXPECT_EQ(get(*server, workspace + "/approvals?after=x", triage).code(), "BAD_CURSOR");
}

// SUP-05: the same from the command line; what is decided is shown, and its hash goes along.
TEST_F(Approvals, Are_decided_from_the_command_line) {
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--workspace", name});
    return run_parley(*server, std::move(arguments));
  };
  ASSERT_EQ(run({"person", "add", "zoe", "--role", "maintainer"}).status, 0);
  const std::string id = ask(""), other = ask(""), third = ask("");
  EXPECT_THAT(run({"approve", "list", "--as", "zoe"}).out, HasSubstr(id));
  EXPECT_THAT(run({"approve", "show", id, "--as", "zoe"}).out, HasSubstr("It is a duplicate."));
  EXPECT_EQ(run({"approve", "yes", id}).status, 2) << "a decision has its rationale";
  const Ran admin = run({"approve", "yes", id, "--rationale", "I own it"});
  EXPECT_EQ(admin.status, 1);
  EXPECT_THAT(admin.err, HasSubstr("APPROVAL_NOT_ENTITLED"));
  const Ran elsewhere =
      run({"approve", "yes", id, "--as", "zoe", "--rationale", "Fine", "--shown", std::string(64, '0')});
  EXPECT_THAT(elsewhere.err, HasSubstr("APPROVAL_SHOWN_OTHER"));
  const Ran yes = run({"approve", "yes", id, "--as", "zoe", "--rationale", "Fine"});
  EXPECT_EQ(yes.status, 0) << yes.err;
  EXPECT_THAT(yes.out, HasSubstr("It is a duplicate."));
  EXPECT_THAT(yes.out, HasSubstr("approved"));
  EXPECT_EQ(run({"approve", "no", other, "--as", "zoe", "--rationale", "Two bugs", "--json"}).status, 2)
      << "nobody was shown anything";
  const auto seen = json::Document::parse(run({"approve", "show", other, "--as", "zoe", "--json"}).out);
  ASSERT_TRUE(seen);
  const std::string shown(seen->root().find("shown").if_string().value_or(""));
  const Ran no = run({"approve", "no", other, "--as", "zoe", "--rationale", "Two bugs", "--shown", shown, "--json"});
  const auto rejected = json::Document::parse(no.out);
  ASSERT_TRUE(rejected) << no.out << no.err;
  EXPECT_EQ(rejected->root().at_pointer("/decision/rationale").if_string(), "Two bugs");
  EXPECT_THAT(run({"approve", "modify", third, "--as", "zoe", "--rationale", "r", "--action", "close"}).err,
              HasSubstr("--action"));
  EXPECT_THAT(
      run({"approve", "modify", third, "--as", "zoe", "--rationale", "r", "--action", R"({"action_type":"comment"})"})
          .out,
      HasSubstr("modified"));
  EXPECT_THAT(run({"approve", "list", "--as", "zoe", "--json"}).out, HasSubstr(R"({"items":[],"next":null})"));
}

}  // namespace
}  // namespace parley::e2e
