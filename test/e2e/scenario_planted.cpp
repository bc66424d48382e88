// What the stories' comparison is worth: an ending in which one thing stands otherwise is noticed, and so is a server
// that loses what it took.
#include <cstdio>
#include <fstream>
#include <functional>

#include "cli/scenario/ending.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "trial.hpp"

namespace {

using namespace parley::e2e;
namespace json = parley::json;
using parley::cli::scenario::Ending;

constexpr Milliseconds patience(60'000);

struct Ran {
  int status = -1;
  std::string output;
};

Ran tell(const TempFolder& folder, std::vector<std::string> options) {
  const std::string log = folder / "output";
  std::ofstream(log).close();  // emptied: what is run appends
  options.insert(options.begin(), {server_program, "scenario", "supervisor"});
  const End end = run(options, log, patience);
  return {end.status, read_file(log)};
}

Ending ending_of(const std::string& telling) {
  const auto document = json::Document::parse(telling, {.bytes = 64 << 20});
  if (!document) throw Unusable("the story's outcome is no JSON: " + telling);
  return *parley::cli::scenario::read_ending(document->root().find("tellings").element(0).find("ending"));
}

void write(const std::string& file, const Ending& ending) {
  std::ofstream(file) << R"({"tellings":[{"ending":)" << parley::cli::scenario::to_json(ending) << "}]}";
}

// What stands otherwise, and where it must be noticed.
struct Fault {
  const char* name;
  std::string where;
  std::function<void(Ending&)> plant;
};

const std::vector<Fault> faults{
    {"another owner", "tasks/{compare}/assignee", [](Ending& e) { e.at("tasks/{compare}/assignee") = R"("scribe")"; }},
    {"a task that did not end", "tasks/{greet}/state", [](Ending& e) { e.at("tasks/{greet}/state") = R"("active")"; }},
    {"a decision by another", "approvals/{ask-to-close}/decision/decided_by",
     [](Ending& e) { e.at("approvals/{ask-to-close}/decision/decided_by") = R"("maintainer-2")"; }},
    {"a receipt that is missing", "messages/{reported}/receipts/0/state",
     [](Ending& e) { e.erase("messages/{reported}/receipts/0/state"); }},
    {"a message that nobody sent", "messages/{stray}/type",
     [](Ending& e) { e["messages/{stray}/type"] = R"("task_delegation")"; }},
    {"a word of the server's, said twice", "words/", [](Ending& e) { e.lower_bound("words/")->second = "2"; }},
};

void compare_with_faults() {
  const TempFolder folder("planted");
  const Ran first = tell(folder, {"--json"});
  require(first.status == 0, "the story itself: " + first.output);
  const Ending ending = ending_of(first.output);
  const std::string file = folder / "like.json";
  write(file, ending);
  require(tell(folder, {"--like", file}).status == 0, "the same ending is told to be another");
  for (const Fault& fault : faults) {
    Ending planted = ending;
    fault.plant(planted);
    write(file, planted);
    const Ran ran = tell(folder, {"--like", file});
    require(ran.status == 1 && ran.output.find("different  " + fault.where) != std::string::npos,
            std::string(fault.name) + " went unnoticed: " + ran.output);
    std::printf("noticed: %s\n", fault.name);
  }
}

void lose_the_journal() {
  const TempFolder folder("planted");
  const Ran ran = tell(folder, {"--journal", "memory", "--kills", "1"});
  // Whoever asks first: who follows the log, or one of the agents.
  const bool noticed = ran.output.find("no workspace 'supervisor' is here") != std::string::npos ||
                       ran.output.find("token is not valid here") != std::string::npos;
  require(ran.status == 1 && noticed, "a server that loses everything went unnoticed: " + ran.output);
  std::printf("noticed: %s\n", ran.output.substr(ran.output.rfind("refused: ")).c_str());
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "endings") return judge(compare_with_faults);
  if (what == "journal") return judge(lose_the_journal);
  std::fputs("usage: scenario_planted_test endings|journal\n", stderr);
  return 2;
}
