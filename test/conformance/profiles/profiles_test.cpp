// Each profile's data against the pipeline that reads it: examples, refusals, and a changed example for every keyword
// of every schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "edit.hpp"
#include "json/writer.hpp"
#include "mutants.hpp"
#include "profile/lint.hpp"
#include "profile/reading.hpp"
#include "profile_case.hpp"

namespace parley::conformance {
namespace {

using base::ErrorCode;
using ingress::Checked;

std::string report(const std::vector<base::Problem>& problems) {
  std::string text;
  for (const base::Problem& p : problems) text += "  " + p.instance + "  " + p.schema + "  " + p.message + '\n';
  return text;
}

std::string report(const base::Error& error) {
  return std::string(base::info(error.code).name) + ' ' + error.where + ' ' + error.message + '\n' +
         report(error.details);
}

class Profile : public testing::TestWithParam<std::string> {
 protected:
  const ProfileCase& subject() const { return case_named(GetParam()); }
  const profile::Reading& reading() const { return *subject().rules->reading; }
  void make_of_examples(Mutants& mutants) const;
};

TEST_P(Profile, IsLintClean) {
  const auto problems = profile::lint(subject().files);
  EXPECT_TRUE(problems.empty()) << report(problems);
}

// The envelope as text, one line a member that is set: what test/conformance/profiles/golden/ keeps.
std::string rendered(const Checked& checked) {
  const envelope::Envelope& e = checked.envelope;
  std::ostringstream out;
  out << "  " << e.native_type << " → " << name(e.kind) << ", " << name(e.priority) << ", " << name(e.delivery) << '\n';
  out << "  id " << e.message_id << '\n';
  out << "  from " << e.sender << (e.sender_role.empty() ? "" : " (" + e.sender_role + ")")
      << (e.sender_instance.empty() ? "" : " instance " + e.sender_instance) << '\n';
  out << "  to" << (e.broadcast ? " everybody" : "") << (e.automatic ? " whom routing picks" : "");
  for (const std::string& recipient : e.recipients) out << ' ' << recipient;
  out << (e.recipient_role.empty() ? "" : " (" + e.recipient_role + ")")
      << (e.recipient_instance.empty() ? "" : " instance " + e.recipient_instance) << '\n';
  if (e.sent_at) out << "  sent " << base::to_rfc3339(*e.sent_at) << '\n';
  if (e.expires_at) out << "  expires " << base::to_rfc3339(*e.expires_at) << '\n';
  if (e.max_retries) out << "  max retries " << *e.max_retries << '\n';
  if (e.sequence) out << "  sequence " << *e.sequence << '\n';
  if (!e.task.empty()) out << "  task " << e.task << ", lane " << std::hex << checked.lane.value << std::dec << '\n';
  if (!e.correlation.empty()) out << "  correlation " << e.correlation << '\n';
  if (!e.reply_to.empty()) out << "  reply to " << e.reply_to << '\n';
  if (!e.conversation.empty()) out << "  conversation " << e.conversation << '\n';
  for (const envelope::Field& field : e.fields)
    out << "  " << field.name << " = " << json::to_text(field.value) << '\n';
  for (const base::Problem& warning : checked.warnings) out << "  warning " << warning.schema << '\n';
  return out.str();
}

std::string first_difference(const std::string& kept, const std::string& now) {
  std::istringstream a(kept), b(now);
  std::string left, right;
  for (std::size_t line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(a, left)), more_now = static_cast<bool>(std::getline(b, right));
    if (!more && !more_now) return "";
    if (more != more_now || left != right)
      return "line " + std::to_string(line) + ": '" + (more ? left : "") + "' is now '" + (more_now ? right : "") +
             '\'';
  }
}

// With PARLEY_REWRITE=1 the golden file is written anew; its diff is what to review.
void expect_golden(const std::string& name, const std::string& text) {
  const char* source = std::getenv("PARLEY_SOURCE");
  const std::string golden = std::string(source ? source : ".") + "/test/conformance/profiles/golden/" + name;
  if (std::getenv("PARLEY_REWRITE")) std::ofstream(golden) << text;
  std::stringstream kept;
  kept << std::ifstream(golden).rdbuf();
  EXPECT_EQ(first_difference(kept.str(), text), "") << "run with PARLEY_REWRITE=1 to write " << golden << " anew";
}

// COL-01, PIP-01, HND-01, MSH-01, COR-04: the envelope of every type.
TEST_P(Profile, ReadsEveryExampleAsItsGoldenFileSays) {
  std::string text;
  for (const std::string& path : subject().files_in("examples/")) {
    const std::string& bytes = subject().files.at(path);
    const auto document = json::Document::parse(bytes);
    const auto checked = judge(subject(), bytes, stated_sender(subject(), document->root()));
    ASSERT_TRUE(checked) << path << '\n' << report(checked.error());
    EXPECT_EQ(checked->envelope.content_hash, base::sha256(bytes));
    EXPECT_EQ(checked->envelope.profile, subject().rules->name);
    text += path.substr(9) + '\n' + rendered(*checked) + '\n';
  }
  expect_golden(subject().name + ".txt", text);
}

// The message of a refusal, with the part that it describes instead of printing it.
std::string message_of(json::Value refusal) {
  const json::Value message = refusal.find("message");
  const json::Value grow = refusal.find("grow");
  if (!grow) return json::to_text(message);
  const json::Value place = message.at_pointer(grow.find("at").as_string());
  const std::size_t to = *grow.find("to").if_uint();
  if (place.is_array()) return replaced(message, place, array_text(place, to));
  std::string grown(place.as_string());
  const bool bytes = grow.find("unit").as_string() == "bytes";
  while ((bytes ? grown.size() : json::code_points(grown)) < to) grown += 'x';
  std::string quoted;
  json::append_string(quoted, grown);
  return replaced(message, place, quoted);
}

struct Expected {
  ErrorCode code{};
  std::string instance, schema;  // where, and by which rule: a keyword, a limit, a check
};

Expected expected_of(json::Value stated) {
  Expected expected;
  expected.instance = stated.find("instance").as_string();
  expected.schema = stated.find("schema").if_string().value_or("");
  const std::string_view word = stated.find("code").if_string().value_or("");
  for (std::size_t i = 0; i < base::error_infos.size(); ++i)
    if (base::error_infos[i].name == word) expected.code = static_cast<ErrorCode>(i);
  return expected;
}

// Whether the problem is told at that place, by that rule; a keyword is named through the $refs that lead to it.
bool meets(const ProfileCase& subject, const Mutants& texts, json::Value message, const base::Problem& problem,
           const Expected& expected) {
  if (problem.instance != expected.instance) return false;
  if (expected.schema.empty() || problem.schema == expected.schema) return true;
  const profile::Reading& reading = *subject.rules->reading;
  const auto type = reading.type_at.resolve(message).if_string();
  for (std::size_t i = 0; i < reading.types.size(); ++i)
    if (subject.rules->types[i].name == type &&
        texts.keyword_at(reading.schema_files[reading.types[i].program], problem.schema) == expected.schema)
      return true;
  return false;
}

// COL-03 (directions), SUP-08 (limits), COR-04: each rule that somebody wrote down is one refusal, exactly there.
TEST_P(Profile, RefusesWhatEachRuleForbids) {
  const Mutants texts(subject().files);
  const auto paths = subject().files_in("refusals/");
  for (const std::string& path : paths) {
    const auto document = json::Document::parse(subject().files.at(path));
    ASSERT_TRUE(document) << path;
    const json::Value refusal = document->root();
    const Expected expected = expected_of(refusal.find("expect"));
    const auto judged = judge(subject(), message_of(refusal), refusal.find("sender").as_string());
    ASSERT_FALSE(judged) << path << " was accepted";
    const base::Error& error = judged.error();
    EXPECT_EQ(error.code, expected.code) << path << '\n' << report(error);
    const bool told = error.details.empty()
                          ? error.where == expected.instance
                          : std::any_of(error.details.begin(), error.details.end(), [&](const base::Problem& problem) {
                              return meets(subject(), texts, refusal.find("message"), problem, expected);
                            });
    EXPECT_TRUE(told) << path << " expects " << expected.instance << ' ' << expected.schema << "; got\n"
                      << report(error);
  }
  std::printf("%-12s %3zu hand-written refusals\n", GetParam().c_str(), paths.size());
}

TEST_P(Profile, WarnsOfWhatEachRuleDiscourages) {
  for (const std::string& path : subject().files_in("warnings/")) {
    const auto document = json::Document::parse(subject().files.at(path));
    const Expected expected = expected_of(document->root().find("expect"));
    const auto judged = judge(subject(), message_of(document->root()), document->root().find("sender").as_string());
    ASSERT_TRUE(judged) << path << '\n' << report(judged.error());
    ASSERT_EQ(judged->warnings.size(), 1u) << path;
    EXPECT_EQ(judged->warnings.front().schema, expected.schema) << path;
    EXPECT_EQ(judged->warnings.front().instance, expected.instance) << path;
  }
}

// A hand-written message that breaks a rule, and where it says it does.
struct Broken {
  std::string path, type, instance;
  json::Document message;
  Expected expected;
  bool direction = false;
};

std::vector<Broken> broken_ones(const ProfileCase& subject) {
  std::vector<Broken> all;
  for (const std::string_view folder : {"refusals/", "warnings/"})
    for (const std::string& path : subject.files_in(folder)) {
      const auto document = json::Document::parse(subject.files.at(path));
      auto message = json::Document::parse(message_of(document->root()), {.bytes = 16 << 20});
      if (!message) continue;  // one that no parser takes breaks no rule of a profile
      const std::string type(subject.rules->reading->type_at.resolve(message->root()).if_string().value_or(""));
      Expected expected = expected_of(document->root().find("expect"));
      const bool direction = document->root().find("expect").find("code").if_string() == "DIRECTION";
      all.push_back({path, type, expected.instance, std::move(*message), std::move(expected), direction});
    }
  return all;
}

// One refusal for every `from` and `to`; for each type that a limit or check is for, one of that very rule.
TEST_P(Profile, HasAMessageForEachRule) {
  const std::vector<Broken> broken = broken_ones(subject());
  const auto some = [&](const auto& is) { return std::any_of(broken.begin(), broken.end(), is); };
  if (GetParam() != "sixth") {
    EXPECT_TRUE(some([](const Broken& b) { return b.expected.schema == "MESSAGE_BYTES"; }));
  }
  std::map<std::string, std::vector<json::Document>> examples;  // by type
  for (const std::string& path : subject().files_in("examples/")) {
    auto example = json::Document::parse(subject().files.at(path));
    const std::string type(*reading().type_at.resolve(example->root()).if_string());
    examples[type].push_back(std::move(*example));
  }
  for (std::size_t i = 0; i < reading().types.size(); ++i) {
    const profile::MessageType& type = subject().rules->types[i];
    const profile::TypeReading& places = reading().types[i];
    const profile::EnvelopeSlots& e = places.envelope;
    const auto refused_at = [&](profile::Slot role, profile::Slot id) {
      const std::string at = reading().places[places.places].pointer(role == profile::no_slot ? id : role);
      return some([&](const Broken& b) { return b.direction && b.type == type.name && b.instance == at; });
    };
    if (!type.from.any) {
      EXPECT_TRUE(refused_at(e.sender_role, e.sender)) << type.name << " from";
    }
    if (!type.to.any) {
      EXPECT_TRUE(refused_at(e.recipient_role, e.recipients)) << type.name << " to";
    }
    if (type.variant != 0) continue;
    for (const profile::LimitRule& rule : places.limits) {
      const std::string at = reading().places[places.places].pointer(rule.slot);
      const auto& own = examples[type.name];
      if (std::none_of(own.begin(), own.end(), [&](const auto& x) { return bool(x.root().at_pointer(at)); })) continue;
      EXPECT_TRUE(some([&](const Broken& b) { return b.type == type.name && b.expected.schema == rule.name; }))
          << "no " << type.name << " breaks " << rule.name;
    }
    for (std::size_t rule = 0; rule < places.checks.size(); ++rule)
      EXPECT_TRUE(some([&](const Broken& b) {
        std::vector<base::Problem> problems;
        if (b.type == type.name) places.checks[rule].check->run(b.message.root(), problems);
        return std::any_of(problems.begin(), problems.end(), [&](const auto& p) { return p.instance == b.instance; });
      })) << "no "
          << type.name << " breaks its check number " << rule << ", " << places.checks[rule].name;
  }
}

// Of every example of a message or record, along its schema.
void Profile::make_of_examples(Mutants& mutants) const {
  for (const std::string& path : subject().files_in("examples/")) {
    const auto document = json::Document::parse(subject().files.at(path));
    const auto judged = judge(subject(), subject().files.at(path), stated_sender(subject(), document->root()));
    ASSERT_TRUE(judged) << path;
    const std::size_t program = reading().types[judged->type.value].program;
    mutants.make(reading().schema_files[program], reading().programs[program], path, document->root());
  }
  for (const std::string& path : subject().files_in("examples/records/")) {
    const auto document = json::Document::parse(subject().files.at(path));
    const std::string stem = path.substr(17, path.find('.') - 17);
    const std::string file = "schemas/" + stem + ".schema.json";
    const auto& files = reading().schema_files;
    const auto known = std::find(files.begin(), files.end(), file);
    ASSERT_NE(known, files.end()) << file;
    mutants.make(file, reading().programs[static_cast<std::size_t>(known - files.begin())], path, document->root());
  }
}

// COL-01, COL-02, PIP-02, HND-01, SUP-02, SUP-03, SUP-05, SUP-06, SUP-07, MSH-01, COR-04: the schemas. "For each
// keyword occurrence in each schema a generated mutant".
TEST_P(Profile, EveryKeywordOfEverySchemaRefusesAMutant) {
  Mutants mutants(subject().files);
  ASSERT_NO_FATAL_FAILURE(make_of_examples(mutants));

  EXPECT_THAT(mutants.not_understood(), testing::IsEmpty()) << "teach mutants.cpp how these refuse";
  std::size_t covered = 0;
  const auto keywords = mutants.keywords();
  for (const std::string& keyword : keywords) {
    if (mutants.made().contains(keyword))
      ++covered;
    else
      ADD_FAILURE() << "no example lets " << keyword << " refuse anything: add an example that reaches it";
  }
  std::printf("%-12s %3zu of %3zu keywords refused a mutant at their very place\n", subject().name.c_str(), covered,
              keywords.size());

  // The same through the whole pipeline: whatever refuses first, a mutant of a message never passes.
  for (const auto& [keyword, mutant] : mutants.made()) {
    if (mutant.example.starts_with("examples/records/")) continue;
    const auto document = json::Document::parse(mutant.text);
    const auto judged = judge(subject(), mutant.text, stated_sender(subject(), document->root()));
    ASSERT_FALSE(judged) << keyword << " of " << mutant.example;
    if (judged.error().code != ErrorCode::SCHEMA) continue;
    for (const base::Problem& problem : judged.error().details) {
      EXPECT_FALSE(problem.message.empty()) << keyword;
      EXPECT_FALSE(problem.schema.empty()) << keyword;
    }
  }
}

// Every enum below `value`, also those that only choose (`if`) or invert (`not`): a line each.
void list_enums(json::Value value, const std::string& at, std::string& text) {
  for (const auto [name, member] : value.members()) {
    if (name == "enum" && member.is_array()) {
      text += at;
      for (const json::Value word : member.elements()) text += ' ' + json::to_text(word);
      text += '\n';
    } else {
      list_enums(member, at + '/' + std::string(name), text);
    }
  }
  std::size_t number = 0;
  for (const json::Value element : value.elements()) list_enums(element, at + '/' + std::to_string(number++), text);
}

// Members that no message can have, with the reason.
const std::map<std::string, std::string> members_without_a_place{
    {"collab task_completion.schema.json#/$defs/FileChange/properties/change_type/enum \"deleted\"",
     "000 §2.2.3 lists deleted files as paths; a change fits the list it stands in (COL-23), and none is of deletions"},
};

// COL-01, COL-02, PIP-02, HND-01, SUP-02, MSH-01, COR-04: no word of the documents is refused. Of a member that is left
// out or misspelt no example would tell: so they are written down once more, in golden/*.enums.txt.
TEST_P(Profile, EveryMemberOfEveryEnumIsAccepted) {
  std::string listed;
  for (const auto& [path, bytes] : subject().files)
    if (profile::is_schema(path))
      list_enums(json::Document::parse(bytes)->root(), path.substr(profile::schemas_folder.size()) + '#', listed);
  expect_golden(subject().name + ".enums.txt", listed);

  Mutants mutants(subject().files);
  ASSERT_NO_FATAL_FAILURE(make_of_examples(mutants));
  std::size_t taken = 0;
  for (const auto& [member, accepted] : mutants.members()) {
    EXPECT_NE(accepted, members_without_a_place.contains(subject().name + ' ' + member)) << member;
    taken += accepted ? 1 : 0;
  }
  std::printf("%-12s %3zu of %3zu members of enums accepted\n", subject().name.c_str(), taken,
              mutants.members().size());
}

INSTANTIATE_TEST_SUITE_P(All, Profile, testing::ValuesIn(case_names()), [](const auto& each) { return each.param; });

// BEY-12: the sixth profile is nothing but the folder beside this file; no C++ knows its name.
TEST(SixthProfile, SpeaksWithoutAnyCode) {
  const ProfileCase& kitchen = case_named("sixth");
  const auto checked = judge(kitchen, kitchen.files.at("examples/order.json"), "ines");
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->envelope.profile, "kitchen");
  EXPECT_EQ(checked->envelope.kind, envelope::Kind::task_assign);
  EXPECT_EQ(checked->envelope.priority, envelope::Priority::high);  // says no hurry, but orders are high at least
}

}  // namespace
}  // namespace parley::conformance
