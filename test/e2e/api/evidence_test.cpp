// BEY-05 over real processes: a key made by the command line, checks that it runs and signs, a server that believes
// what was signed for this review and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "api.hpp"
#include "command.hpp"
#include "json/writer.hpp"

namespace parley::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view asked_command = "./dev check settings";

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// A task of the examples that waits for its reviewer, in workspace `demo`.
struct Evidence : testing::Test {
  Server server;
  std::string folder = server.folder() + "/evidence";
  std::string tree = folder + "/tree", key = folder + "/ci.pem", signed_file = folder + "/checks.evidence";
  std::string request = folder + "/request.json", result = folder + "/result.json";

  std::string example(const std::string& name) const {
    return read_text(source_folder() + "/spec/profiles/collab/examples/" + name + ".json");
  }
  Ran parley(std::vector<std::string> arguments) const { return run_parley(server, std::move(arguments)); }
  void send(const std::string& sender, const std::string& text) {
    const std::string file = folder + "/message.json";
    std::ofstream(file) << text;
    const Ran sent = parley({"send", "--as", sender, file});
    ASSERT_EQ(sent.status, 0) << sent.out << sent.err;
  }
  void SetUp() override {
    std::filesystem::create_directories(tree);
    std::ofstream(tree + "/settings.cpp") << "int settings();\n";
    ASSERT_EQ(parley({"workspace", "create", "demo"}).status, 0);
    for (const auto& [id, type] :
         {std::pair("architect-main", "architect"), {"developer-01", "developer"}, {"reviewer-main", "reviewer"}})
      ASSERT_EQ(parley({"agent", "add", id, "--profile", "collab", "--type", type}).status, 0);
    send("architect-main", example("task_assignment"));
    send("developer-01", example("acknowledgment"));
    send("developer-01", example("task_completion"));
    const std::string asked = replaced(example("review_request"), asked_command, "grep -q settings settings.cpp");
    send("architect-main", asked);
    std::ofstream(request) << asked;
  }

  Ran run_checks(const std::string& tests = "true") const {
    return run_parley({"--json",         "review",  "run-checks",      request,   "--in",       tree,       "--check",
                       "tests=" + tests, "--check", "type_check=true", "--check", "lint=true",  "--sign",   key,
                       "--runner",       "ci",      "--workspace",     "demo",    "--evidence", signed_file});
  }
  // The result of the examples, with this verification.
  void write_result(const std::string& verification) const {
    const std::string first = R"("fixed_in_iteration": 1)";  // its review is the task's first
    const auto document =
        json::Document::parse(replaced(example("review_result.approved"), R"("fixed_in_iteration": 2)", first));
    const std::string said = json::to_text(document->root().at_pointer("/payload/verification"));
    std::ofstream(result) << replaced(json::to_text(document->root()), said, verification);
  }
  Ran send_result() const {
    return parley({"--json", "send", "--as", "reviewer-main", "--evidence", signed_file, result});
  }
};

TEST_F(Evidence, Of_a_runner_that_is_registered_is_believed) {
  const Ran made = run_parley({"--json", "runner", "key", key});
  ASSERT_EQ(made.status, 0) << made.err;
  struct stat status{};
  ASSERT_EQ(::stat(key.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(made.out, Not(HasSubstr("PRIVATE")));
  EXPECT_EQ(run_parley({"runner", "key", key}).status, 1) << "a key is never written over";

  const Ran checked = run_checks();
  ASSERT_EQ(checked.status, 0) << checked.err;
  write_result(checked.out);
  const Ran stranger = send_result();
  EXPECT_EQ(stranger.status, 1);
  EXPECT_THAT(stranger.out, HasSubstr("RUNNER_UNKNOWN"));

  const Ran added = parley({"runner", "add", "ci", "--key", key});
  ASSERT_EQ(added.status, 0) << added.err;
  EXPECT_THAT(added.out, Not(HasSubstr("PRIVATE")));
  const std::string token = read_text(signed_file);
  std::ofstream(signed_file) << replaced(token, token.substr(0, 8), std::string(8, 'A'));
  EXPECT_THAT(send_result().out, HasSubstr("EVIDENCE_MALFORMED"));
  std::ofstream(signed_file) << token;
  const Ran sent = send_result();
  ASSERT_EQ(sent.status, 0) << sent.out;
  EXPECT_THAT(sent.out, Not(HasSubstr("UNSIGNED")));

  const Ran shown = parley({"--json", "review", "show", "review-settings-2"});
  const auto review = json::Document::parse(shown.out);
  ASSERT_TRUE(review) << shown.out;
  EXPECT_EQ(review->root().find("state").if_string(), "approved");
  EXPECT_EQ(review->root().at_pointer("/evidence/runner").if_string(), "ci");
  ASSERT_EQ(review->root().find("verification").size(), 4u) << shown.out;
  for (const json::Value check : review->root().find("verification").elements()) {
    EXPECT_EQ(check.find("signed").if_bool(), true) << shown.out;
    EXPECT_EQ(check.find("exit_code").if_int(), 0) << shown.out;
  }
  EXPECT_THAT(parley({"runner", "list"}).out, HasSubstr("valid"));
  EXPECT_THAT(parley({"runner", "revoke", "ci"}).out, HasSubstr("revoked"));
}

TEST_F(Evidence, Is_over_the_work_tree_as_it_was) {
  ASSERT_EQ(run_parley({"runner", "key", key}).status, 0);
  const auto tree_of = [](const Ran& ran) {
    const std::size_t at = ran.err.find("work tree ");
    return at == std::string::npos ? ran.err : ran.err.substr(at + 10, 64);
  };
  const std::string before = tree_of(run_checks());
  EXPECT_EQ(before.size(), 64u);
  EXPECT_EQ(tree_of(run_checks()), before) << "the same tree, the same hash";
  std::ofstream(tree + "/settings.cpp", std::ios::app) << "// changed\n";
  EXPECT_NE(tree_of(run_checks()), before);
  EXPECT_THAT(run_checks("date +%N > made").err, HasSubstr("which the checks changed"));
}

// The calls themselves, without the command line.
TEST(EvidenceCalls, Register_runners_and_take_one_evidence_with_one_message) {
  Server server;
  const std::string home = make_workspace(server, "calls");
  const std::string architect = make_agent(server, home, "architect-01", "collab", "architect");
  make_agent(server, home, "developer-01", "collab", "developer");
  const std::string runner = R"({"runner_id":"ci","public_key":"PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="})";
  EXPECT_EQ(post(server, home + "/runners", server.admin(), runner).status, 201);
  EXPECT_EQ(post(server, home + "/runners", server.admin(), runner).status, 200);
  EXPECT_EQ(post(server, home + "/runners", server.admin(), replaced(runner, "PUAX", "PUAY")).code(), "CONFLICT");
  EXPECT_EQ(post(server, home + "/runners", server.admin(), replaced(runner, "Zgw=", "Zg==")).status, 400);
  EXPECT_EQ(get(server, home + "/runners", architect).text("/items/0/state"), "valid");
  const Answer gone = call(server, {.method = "DELETE", .target = home + "/runners/ci", .token = server.admin()});
  EXPECT_EQ(gone.text("/state"), "revoked") << gone.body;
  EXPECT_EQ(post(server, home + "/runners", server.admin(), runner).code(), "RUNNER_REVOKED");

  const auto send = [&](const std::string& body, const std::string& evidence) {
    return call(server, {.method = "POST",
                         .target = home + "/messages",
                         .token = architect,
                         .body = body,
                         .more = {{"Parley-Evidence", evidence}}});
  };
  const std::string query = status_query("architect-01", "developer-01");
  EXPECT_EQ(send(query, "abc.def").code(), "EVIDENCE_OTHER");
  EXPECT_EQ(send('[' + query + ']', "abc.def").status, 400);
  EXPECT_EQ(post(server, home + "/messages", architect, query).status, 202);
}

}  // namespace
}  // namespace parley::e2e
