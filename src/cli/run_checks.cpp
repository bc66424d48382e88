#include "cli/run_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "base/clock.hpp"
#include "base/excerpt.hpp"
#include "base/joined.hpp"
#include "cli/contents.hpp"
#include "cli/errors.hpp"
#include "cli/evidence_file.hpp"
#include "cli/process.hpp"
#include "cli/work_tree.hpp"
#include "envelope/statement.hpp"
#include "ingress/field.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "profile/files.hpp"
#include "profile/rulesets.hpp"

namespace parley::cli {
namespace {

using base::ErrorCode;

struct RunChecksOptions {
  std::string file, directory = ".", profile;
  std::string key, runner, workspace, evidence;  // BEY-05
  std::vector<std::string> commands;             // NAME=COMMAND
  base::Duration timeout = std::chrono::minutes(10);
};

struct Check {
  std::string name, command;
  std::int64_t expected = 0;
  bool custom = false;
};

// What was asked for.
struct Asked {
  std::vector<Check> checks;         // those with a command
  std::vector<std::string> missing;  // verifications asked for that have none
  std::vector<std::string> not_run;  // those, and what nobody asked for: a result has a word for each
  std::string custom;                // the member of `verification` for custom ones
};

struct Outcome {
  const Check* check;
  bool passed = false;
  std::optional<int> exit_code;  // none: not done in time
  std::string output, error;
};

// The first profile that reads it as a request for a review.
const profile::Ruleset* rules_for(const profile::Rulesets& all, json::Value message, const std::string& wanted) {
  for (const std::string& name : profile::built_in_names()) {
    const profile::Ruleset* const rules = all.find(name).get();
    if (!rules || !rules->reviews || (!wanted.empty() && wanted != name)) continue;
    if (ingress::field_of(message, *rules, "criteria") && ingress::field_of(message, *rules, "review")) return rules;
  }
  return nullptr;
}

base::Result<Asked> read(json::Value message, const profile::Ruleset& rules, const RunChecksOptions& options) {
  Asked asked{{}, {}, {}, rules.reviews->custom};
  const auto command_for = [&](const std::string& name) -> std::string {
    for (const std::string& given : options.commands)
      if (given.starts_with(name + '=')) return given.substr(name.size() + 1);
    return {};
  };
  const json::Value criteria = ingress::field_of(message, rules, "criteria");
  for (const auto& [criterion, verification] : rules.reviews->criteria) {
    const std::string command = command_for(verification);
    if (!command.empty()) {
      asked.checks.push_back({verification, command});
      continue;
    }
    asked.not_run.push_back(verification);
    if (criteria.find(criterion).if_bool().value_or(false)) asked.missing.push_back(verification);
  }
  for (const json::Value check : ingress::field_of(message, rules, "checks").elements()) {
    const auto name = check.find("name").if_string(), command = check.find("command").if_string();
    const auto expected = check.find("expected_exit_code").if_int();
    if (!name || !command || !expected)
      return base::fail(ErrorCode::BAD_REQUEST, "a check has its name, its command and the exit code expected",
                        options.file);
    if (std::any_of(asked.checks.begin(), asked.checks.end(),
                    [&](const Check& c) { return c.custom && c.name == *name; }))
      return base::fail(
          ErrorCode::BAD_REQUEST,
          "two checks are named '" + base::excerpt(*name, 128) + "', and a result has one word for each name",
          options.file, "Have the review asked for with a name of its own for each check.");
    asked.checks.push_back({std::string(*name), std::string(*command), *expected, true});
  }
  return asked;
}

// Each is NAME=COMMAND, of a verification that the profile has, and the only one of that name.
base::Result<> check_commands(const profile::Ruleset& rules, const RunChecksOptions& options) {
  const char* const hint = "Write NAME=COMMAND, as --check 'tests=./dev test'.";
  std::vector<std::string> known;
  for (const auto& [criterion, verification] : rules.reviews->criteria) known.push_back(verification);
  std::set<std::string> named;
  for (const std::string& given : options.commands) {
    const std::size_t equals = given.find('=');
    const std::string name = given.substr(0, equals);
    if (std::ranges::find(known, name) == known.end())
      return misuse(
          "--check: '" + name + "' is no verification of " + rules.name + ", which has " + base::joined(known), hint);
    if (equals == given.npos || equals + 1 == given.size())
      return misuse("--check: '" + given + "' has no command", hint);
    if (!named.insert(name).second) return misuse("--check: '" + name + "' has two commands", hint);
  }
  return {};
}

base::Result<Outcome> make(const Check& check, const RunChecksOptions& options) {
  PARLEY_TRY(const Ended ended,
             run({.text = check.command, .directory = options.directory, .timeout = options.timeout}));
  Outcome outcome{&check,
                  !ended.timed_out && ended.exit_code == check.expected,
                  ended.exit_code,
                  printable(ended.output, true),
                  {}};
  if (ended.timed_out) outcome.exit_code.reset();
  if (ended.timed_out)
    outcome.error = "not done after " + base::to_text(options.timeout);
  else if (!outcome.passed)
    outcome.error = "exit code " + std::to_string(ended.exit_code) + ", expected " + std::to_string(check.expected);
  return outcome;
}

void write(json::Writer& writer, const Outcome& outcome) {
  writer.key(outcome.check->name).begin_object().member("passed", outcome.passed);
  if (!outcome.output.empty()) writer.member("output", outcome.output);
  if (!outcome.error.empty()) writer.member("error", outcome.error);
  writer.end_object();
}

// As a review_result holds it.
std::string verification(const Asked& asked, const std::vector<Outcome>& outcomes) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  for (const Outcome& outcome : outcomes)
    if (!outcome.check->custom) write(writer, outcome);
  for (const std::string& name : asked.not_run)
    writer.key(name).begin_object().member("passed", false).member("error", "not run").end_object();
  writer.key(asked.custom).begin_object();
  for (const Outcome& outcome : outcomes)
    if (outcome.check->custom) write(writer, outcome);
  writer.end_object().end_object();
  return text;
}

// What is signed: all that was run, and over which state of the work tree (BEY-05).
class Signing {
 public:
  // Before the checks are run: what is wrong with the key or the file is said at once, and the tree is looked at as it
  // is now.
  static base::Result<Signing> begin(const RunChecksOptions& options, json::Value message,
                                     const profile::Ruleset& rules) {
    if (options.runner.empty() || options.workspace.empty() || options.evidence.empty())
      return misuse("--sign: a signature names its runner and its workspace, and goes to a file",
                    "Add --runner NAME, --workspace NAME and --evidence FILE.");
    PARLEY_TRY(auto key, base::SigningKey::read(options.key));
    PARLEY_CHECK(check_writable(options.evidence));
    Signing signing(std::move(key));
    signing.statement_.runner = options.runner;
    signing.statement_.workspace = options.workspace;
    signing.statement_.task = ingress::field_of(message, rules, "task").if_string().value_or("");
    signing.statement_.review = ingress::field_of(message, rules, "review").if_string().value_or("");
    PARLEY_TRY(signing.statement_.tree, hash_of_tree(options.directory));
    return signing;
  }

  base::Result<> write(const RunChecksOptions& options, const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes)
      statement_.checks.push_back({outcome.check->name, outcome.check->command, outcome.check->custom,
                                   outcome.check->expected, outcome.exit_code});
    PARLEY_TRY(const base::Digest after, hash_of_tree(options.directory));
    statement_.changed = after != statement_.tree;
    statement_.at = std::chrono::floor<std::chrono::seconds>(base::SystemClock().wall());
    PARLEY_TRY(const std::string token, envelope::sign(statement_, key_));
    return write_whole(options.evidence, token + '\n');
  }
  const envelope::Statement& statement() const { return statement_; }

 private:
  explicit Signing(base::SigningKey key) : key_(std::move(key)) {}

  base::SigningKey key_;
  envelope::Statement statement_;
};

// False: it could not be, and that is told beside what the checks found, which is the one document of standard output.
bool sign(const Context& context, Signing& signing, const RunChecksOptions& options,
          const std::vector<Outcome>& outcomes) {
  std::ostream& out = context.terminal.err;
  if (const auto written = signing.write(options, outcomes); !written) {
    out << error_text(as_typed(written.error(), context.path), context.terminal.err_is_tty);
    return false;
  }
  out << "signed as " << printable(options.runner) << ", over work tree " << base::to_hex(signing.statement().tree)
      << (signing.statement().changed ? ", which the checks changed" : "") << ": " << printable(options.evidence)
      << std::endl;
  return true;
}

base::Result<Exit> run_checks(Context& context, const RunChecksOptions& options) {
  if (std::error_code none; !std::filesystem::is_directory(options.directory, none))
    return base::fail(ErrorCode::BAD_REQUEST, "'" + options.directory + "' is no folder", "--in",
                      "Name the work tree that the checks run in.");
  PARLEY_TRY(const std::string bytes, contents_of(options.file));
  PARLEY_TRY(const json::Document document, json::Document::parse(bytes));
  // A frame from the inbox will do as well.
  const json::Value framed = document.root().find("message");
  const json::Value message = framed.is_object() ? framed : document.root();
  const profile::Rulesets all = profile::built_in();
  const profile::Ruleset* const rules = rules_for(all, message, options.profile);
  if (!rules)
    return base::fail(ErrorCode::BAD_REQUEST, "this is no request for a review in a profile that has them",
                      options.file);
  PARLEY_CHECK(check_commands(*rules, options));
  PARLEY_TRY(const Asked asked, read(message, *rules, options));

  std::optional<Signing> signing;
  if (!options.key.empty()) {
    PARLEY_TRY(signing, Signing::begin(options, message, *rules));
  }

  const Terminal& terminal = context.terminal;
  std::vector<Outcome> outcomes;
  bool passed = true;
  for (const Check& check : asked.checks) {
    terminal.err << printable(check.name) << ": " << printable(check.command) << std::endl;
    PARLEY_TRY(Outcome outcome, make(check, options));
    outcomes.push_back(std::move(outcome));
    passed = passed && outcomes.back().passed;
    terminal.err << "  "
                 << (outcomes.back().passed
                         ? coloured("passed", Colour::green, terminal.err_is_tty)
                         : coloured("failed", Colour::red, terminal.err_is_tty) + ": " + outcomes.back().error)
                 << std::endl;
  }
  for (const std::string& name : asked.missing)
    terminal.err << name << ": asked for, and not run: name its command with --check '" << name << "=COMMAND'"
                 << std::endl;
  const bool is_signed = !signing || sign(context, *signing, options, outcomes);  // where it is asked for
  print_json(terminal, verification(asked, outcomes));
  return passed && asked.missing.empty() && is_signed ? Exit::done : Exit::refused;
}

}  // namespace

Verb run_checks_verb() {
  auto options = std::make_shared<RunChecksOptions>();
  return {
      .name = "run-checks",
      .summary = "Run the checks that a review_request asks for, and print the `verification` for its result",
      .examples = {"parley review run-checks request.json --in ~/work --check tests=./test.sh",
                   "parley review run-checks request.json --in ~/work --sign ci.pem --runner ci --workspace demo "
                   "--evidence checks.evidence"},
      .options = {{"file", "the review_request, or its delivery frame; - is standard input", &options->file, true},
                  {"--in FOLDER", "the work tree", &options->directory},
                  {"--check NAME=COMMAND", "for a check that the request names without a command", &options->commands},
                  {"--timeout", "time for each command", &options->timeout},
                  {"--profile NAME", "the message's profile (default: found by the content)", &options->profile},
                  {"--sign FILE", "file with the runner's key: what was run, and its result, are signed",
                   &options->key},
                  {"--runner NAME", "with --sign: the runner that the key is registered for", &options->runner},
                  {"-w,--workspace NAME", "with --sign: the workspace of the review", &options->workspace},
                  {"--evidence FILE", "with --sign: where the signed statement goes, for `parley send --evidence`",
                   &options->evidence}},
      .run = [options](Context& context) { return run_checks(context, *options); }};
}

}  // namespace parley::cli
