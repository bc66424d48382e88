// What could not be printed was not read: it stays in the mailbox, and the exit status says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "api.hpp"
#include "command.hpp"

namespace parley::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class CommandsOutput : public testing::Test {
 protected:
  CommandsOutput() {
    make_workspace(server, "team");
    for (const char* id : {"asker", "answerer"})
      EXPECT_EQ(run_parley(server, {"agent", "add", id, "--profile", "mesh", "--type", "developer-agent"}).status, 0);
  }

  // Sent; its file.
  std::string send(const std::string& from, const std::string& to, const std::string& type, const std::string& content,
                   const std::string& more = "") {
    const std::string file = write(from, to, type, content, more);
    const Ran sent = run_parley(server, {"send", "--as", from, file});
    EXPECT_EQ(sent.status, 0) << sent.out << sent.err;
    return file;
  }
  std::string write(const std::string& from, const std::string& to, const std::string& type, const std::string& content,
                    const std::string& more = "") {
    last = uuid();
    const std::string file = server.folder() + "/" + last + ".json";
    std::ofstream(file) << R"({"id": ")" << last << R"(", "timestamp": ")" << now_text() << R"(", "from": ")" << from
                        << R"(", "to": ")" << to << R"(", "messageType": ")" << type
                        << R"(", "priority": "normal", "content": )" << content << more << "}";
    return file;
  }
  std::string inbox(const std::string& agent) { return run_parley(server, {"inbox", "--as", agent, "--json"}).out; }

  Server server;
  std::string last;  // id of what was written last
};

const std::string question = R"({"action": "look", "parameters": {}})";

TEST_F(CommandsOutput, What_could_not_be_printed_is_not_acknowledged) {
  for (const std::string out : {"/dev/full", ""})
    for (const std::string how : {"--ack", "--json"}) {
      send("asker", "answerer", "request", question);
      const Ran ran = run_parley_into(out, server, {"wait", "--as", "answerer", "--ack", how, "--timeout", "20s"});
      EXPECT_EQ(ran.status, 1) << out;
      EXPECT_THAT(ran.err, HasSubstr("standard output: ")) << out;
      EXPECT_THAT(inbox("answerer"), HasSubstr(last)) << out << how;
    }
  send("asker", "answerer", "request", question);
  const Ran printed = run_parley(server, {"wait", "--as", "answerer", "--ack", "--timeout", "20s"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr(last));
  EXPECT_THAT(inbox("answerer"), Not(HasSubstr(last)));
}

TEST_F(CommandsOutput, An_answer_that_could_not_be_printed_stays_in_the_mailbox) {
  const std::string asked = send("asker", "answerer", "request", question);
  send("answerer", "asker", "response", R"({"success": true, "data": {}})", R"(, "parentMessageId": ")" + last + '"');
  const std::string answer = last;
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--json"}}) {
    std::vector<std::string> words{"request", "--as", "asker", asked};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_parley_into("/dev/full", server, words);
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
    EXPECT_THAT(inbox("asker"), HasSubstr(answer));
  }
  EXPECT_EQ(run_parley(server, {"request", "--as", "asker", asked, "--json"}).status, 0);
  EXPECT_THAT(inbox("asker"), Not(HasSubstr(answer)));
}

TEST_F(CommandsOutput, Every_verb_says_that_its_output_was_not_written) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"workspace", "list"}, {"agent", "list", "--json"}, {"tail"}, {"tail", "-f"}}) {
    const Ran ran = run_parley_into("/dev/full", server, words);
    EXPECT_EQ(ran.status, 1) << words.front();
    EXPECT_EQ(ran.err, "not written: standard output: No space left on device\n");
  }
}

// Nobody is there to read it: no word, and a status of its own.
TEST_F(CommandsOutput, A_pipe_that_nobody_reads_ends_a_verb_without_a_word) {
  for (const std::string words : {"workspace list", "agent list --json", "tail", "help"}) {
    const std::string said = server.folder() + "/said";
    const std::string verb = "exec \"$PARLEY_BINARY\" " + words + " --data " + server.folder();
    const std::string pipe = "exec 3> >(true); wait $!; " + verb + " >&3 3>&- 2> " + said;  // its reader has ended
    const int status = std::system(("exec bash -c '" + pipe + "'").c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << words << ": " << status;
    EXPECT_EQ(read_file(said), "") << words;
  }
}

}  // namespace
}  // namespace parley::e2e
