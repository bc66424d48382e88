#include "cli/run_checks.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/signing_key.hpp"
#include "cli/cli.hpp"
#include "envelope/statement.hpp"
#include "json/parser.hpp"

namespace parley::cli {
namespace {

struct Ran {
  int status;
  std::string out, err;

  json::Document verification() const { return json::Document::parse(out).value(); }
};

class RunChecks : public testing::Test {
 protected:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("parley-checks-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));

  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ran run_checks(const std::string& criteria, std::vector<std::string> more = {}) {
    const std::string file = folder_ / "request.json";
    std::ofstream(file) << R"({"message_type":"review_request","payload":{"review_id":"r","task_id":"t","criteria":)"
                        << criteria << "}}";
    std::vector<std::string> arguments{"--json", "review", "run-checks", file, "--in", folder_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::ostringstream out, err;
    Terminal terminal{out, err};
    const int status = run(arguments, {}, terminal);
    return {status, out.str(), err.str()};
  }
};

// COL-14: each custom check is run in the work tree, and its exit code decides.
TEST_F(RunChecks, give_the_verification_of_a_result) {
  std::ofstream(folder_ / "there");
  const Ran ran = run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"is there","command":"ls there","expected_exit_code":0},
    {"name":"is not","command":"test -e nothing","expected_exit_code":1}]})");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json::Document document = ran.verification();
  const json::Value custom = document.root().find("custom");
  EXPECT_EQ(custom.find("is there").find("passed").if_bool(), true);
  EXPECT_EQ(custom.find("is there").find("output").if_string(), "there\n");
  EXPECT_EQ(custom.find("is not").find("passed").if_bool(), true);
}

TEST_F(RunChecks, that_fail_say_why_and_leave_the_others_run) {
  const Ran ran = run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"a","command":"echo bad; exit 3","expected_exit_code":0},
    {"name":"b","command":"sleep 60","expected_exit_code":0},
    {"name":"c","command":"true","expected_exit_code":0}]})",
                             {"--timeout", "300ms"});
  EXPECT_EQ(ran.status, 1);
  const json::Document document = ran.verification();
  const json::Value custom = document.root().find("custom");
  EXPECT_EQ(custom.find("a").find("error").if_string(), "exit code 3, expected 0");
  EXPECT_EQ(custom.find("a").find("output").if_string(), "bad\n");
  EXPECT_EQ(custom.find("b").find("error").if_string(), "not done after 300ms");
  EXPECT_EQ(custom.find("c").find("passed").if_bool(), true);
}

TEST_F(RunChecks, that_fail_do_so_whatever_signals_the_parent_ignored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Ran ran = run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"a","command":"sleep 0.3; exit 3","expected_exit_code":0}]})");
  std::signal(SIGCHLD, before);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_EQ(ran.verification().root().find("custom").find("a").find("error").if_string(), "exit code 3, expected 0");
}

// COL-23: what was asked for and not run counts as failed.
TEST_F(RunChecks, want_a_command_for_each_verification_asked_for) {
  const std::string criteria = R"({"must_pass_tests":true,"must_pass_type_check":true,"must_pass_lint":false})";
  const Ran lacking = run_checks(criteria, {"--check", "tests=true"});
  EXPECT_EQ(lacking.status, 1);
  EXPECT_NE(lacking.err.find("type_check: asked for, and not run"), std::string::npos) << lacking.err;
  EXPECT_EQ(lacking.verification().root().find("type_check").find("passed").if_bool(), false);
  EXPECT_EQ(lacking.verification().root().find("lint").find("error").if_string(), "not run");
  const Ran whole = run_checks(criteria, {"--check", "tests=true", "--check", "type_check=true"});
  EXPECT_EQ(whole.status, 0);
  EXPECT_EQ(whole.verification().root().find("tests").find("passed").if_bool(), true);
}

TEST_F(RunChecks, want_each_command_to_be_of_one_verification_that_there_is) {
  const std::string criteria = R"({"must_pass_tests":true,"must_pass_type_check":false})";
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"--check", "tets=true"}, "'tets' is no verification of collab, which has tests, type_check"},
      {{"--check", "tests="}, "'tests=' has no command"},
      {{"--check", "tests"}, "'tests' has no command"},
      {{"--check", "tests=false", "--check", "tests=true"}, "'tests' has two commands"}};
  for (const auto& [more, said] : mistakes) {
    const Ran ran = run_checks(criteria, more);
    EXPECT_EQ(ran.status, 2) << said;
    EXPECT_NE(ran.out.find(said), std::string::npos) << ran.out;
  }
}

TEST_F(RunChecks, whose_names_are_not_their_own_are_not_run) {
  const Ran ran = run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"a","command":"touch done","expected_exit_code":0},
    {"name":"a","command":"false","expected_exit_code":0}]})");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE((ran.out + ran.err).find("two checks are named 'a'"), std::string::npos) << ran.out << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "done"));
}

TEST_F(RunChecks, that_expect_what_no_command_ends_with_fail) {
  const Ran ran = run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"a","command":"true","expected_exit_code":4294967296}]})");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.verification().root().find("custom").find("a").find("error").if_string(),
            "exit code 0, expected 4294967296");
}

TEST_F(RunChecks, read_nothing_but_a_request_for_a_review) {
  const std::string file = folder_ / "other.json";
  std::ofstream(file) << R"({"message_type":"feedback"})";
  std::ostringstream out, err;
  Terminal terminal{out, err};
  EXPECT_EQ(run({"review", "run-checks", file}, {}, terminal), 1);
}

TEST_F(RunChecks, name_the_folder_that_is_none) {
  const std::string file = folder_ / "request.json";
  std::ofstream(file) << R"({"message_type":"review_request"})";
  std::ostringstream out, err;
  Terminal terminal{out, err};
  EXPECT_EQ(run({"review", "run-checks", file, "--in", folder_ / "nowhere"}, {}, terminal), 1);
  EXPECT_NE(err.str().find("nowhere' is no folder"), std::string::npos) << err.str();
}

constexpr const char* one_check =
    R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"passes","command":"ls a","expected_exit_code":0},{"name":"fails","command":"exit 3","expected_exit_code":0}]})";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// BEY-05: what was run, and how it ended, is signed with the runner's key; a failed check no less than a passed one.
TEST_F(RunChecks, sign_what_they_ran) {
  std::ofstream(folder_ / "a");
  const std::filesystem::path aside = folder_.string() + "-aside";
  std::filesystem::create_directories(aside);
  const std::string file = aside / "key.pem", evidence = aside / "evidence";
  const base::SigningKey key = base::SigningKey::fresh();
  ASSERT_TRUE(key.write(file));
  const Ran ran = run_checks(
      one_check, {"--sign", file, "--runner", "ci", "-w", "team", "--evidence", evidence, "--timeout", "9s"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  std::string token = text_of(evidence);
  ASSERT_TRUE(token.ends_with('\n'));
  token.pop_back();
  const auto read = envelope::Evidence::parse(token);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->verifies(key.public_half()));
  EXPECT_FALSE(read->verifies(base::SigningKey::fresh().public_half()));
  const envelope::Statement& said = read->statement();
  EXPECT_EQ(said.runner + ' ' + said.workspace + ' ' + said.task + ' ' + said.review, "ci team t r");
  ASSERT_EQ(said.checks.size(), 2u);
  EXPECT_EQ(said.checks[0].command, "ls a");
  EXPECT_TRUE(said.checks[0].custom && said.checks[0].passed());
  EXPECT_EQ(said.checks[1].exit_code, 3);
  EXPECT_FALSE(said.checks[1].passed());
  EXPECT_FALSE(said.changed);
  std::filesystem::remove_all(aside);
}

TEST_F(RunChecks, whose_evidence_cannot_be_written_are_not_run) {
  const std::string file = folder_ / "key.pem";
  ASSERT_TRUE(base::SigningKey::fresh().write(file));
  std::filesystem::create_directories(folder_ / "folder");
  const auto sign_into = [&](const std::string& evidence, const std::string& command) {
    return run_checks(R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
      {"name":"runs","command":")" +
                          command + R"(","expected_exit_code":0}]})",
                      {"--sign", file, "--runner", "ci", "-w", "team", "--evidence", evidence});
  };
  for (const auto& [evidence, why] : {std::pair(folder_ / "none/evidence", "No such file or directory"),
                                      std::pair(folder_ / "folder", "it is no plain file")}) {
    const Ran ran = sign_into(evidence, "touch ran");
    EXPECT_EQ(ran.status, 1);
    EXPECT_NE(ran.out.find(why), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("--evidence"), std::string::npos) << ran.out;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  // What the checks found is not lost with the signature.
  const Ran late = sign_into(folder_ / "evidence", "mkdir evidence");
  EXPECT_EQ(late.status, 1);
  EXPECT_EQ(late.verification().root().find("custom").find("runs").find("passed").if_bool(), true) << late.out;
  EXPECT_NE(late.err.find("it is no plain file"), std::string::npos) << late.err;
}

TEST_F(RunChecks, that_cannot_be_signed_are_not_run) {
  const std::string file = folder_ / "key.pem", evidence = folder_ / "evidence";
  const std::string runs = R"({"must_pass_tests":false,"must_pass_type_check":false,"custom_checks":[
    {"name":"runs","command":"touch ran","expected_exit_code":0}]})";
  ASSERT_TRUE(base::SigningKey::fresh().write(file));
  EXPECT_EQ(run_checks(runs, {"--sign", file}).status, 2);  // as whom, for which workspace
  const std::vector<std::string> whole{"--sign", file, "--runner", "ci", "-w", "team", "--evidence", evidence};
  std::filesystem::permissions(file, std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  const Ran open = run_checks(runs, whole);
  EXPECT_EQ(open.status, 1);
  EXPECT_NE(open.out.find("can be read by others"), std::string::npos) << open.out;
  std::filesystem::remove(file);
  EXPECT_EQ(run_checks(runs, whole).status, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  EXPECT_FALSE(std::filesystem::exists(evidence));
}

}  // namespace
}  // namespace parley::cli
