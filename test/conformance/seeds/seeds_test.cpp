// Every JSON example printed in the five documents, put through strict and lenient validation (R5, R6) and held against
// verdicts.json. COL-22: 000 A.1 and A.2 exactly as printed. The documents are read from PARLEY_SHARED; where that
// folder is absent the tests say so and are skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "ingress/check.hpp"
#include "json/parser.hpp"
#include "printed.hpp"
#include "profile/reading.hpp"
#include "profile/rulesets.hpp"

namespace parley::seeds {
namespace {

using ingress::Validation;

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::filesystem::path seeds_folder() {
  const char* shared = std::getenv("PARLEY_SHARED");
  const char* source = std::getenv("PARLEY_SOURCE");
  if (shared && *shared) return std::filesystem::path(shared) / "seeds";
  return std::filesystem::path(source ? source : ".") / ".." / "shared" / "seeds";
}

const json::Document& verdicts() {
  static const json::Document document = [] {
    const char* source = std::getenv("PARLEY_SOURCE");
    return *json::Document::parse(
        text_of(std::filesystem::path(source ? source : ".") / "test/conformance/seeds/verdicts.json"));
  }();
  return document;
}

// "/message_id pattern": the place and the keyword broken there; "/payload lacks task_id" for what is missing. Sorted.
std::string shortened(const base::Problem& problem) {
  const std::string keyword = problem.schema.substr(problem.schema.rfind('/') + 1);
  const std::string place = problem.instance.empty() ? "message" : problem.instance;
  const std::size_t first = problem.message.find('"'), last = problem.message.rfind('"');
  if (keyword != "required" || first == last) return place + ' ' + keyword;
  return place + " lacks " + problem.message.substr(first + 1, last - first - 1);
}

std::vector<std::string> shortened(const std::vector<base::Problem>& problems) {
  std::vector<std::string> texts;
  for (const base::Problem& problem : problems) texts.push_back(shortened(problem));
  std::sort(texts.begin(), texts.end());
  return texts;
}

struct Verdict {
  std::string strict;  // "accepted", or a code
  std::string lenient;
  std::vector<std::string> defects;  // named in the refusal, recorded in lenient
  std::vector<std::string> recorded;
};

class Seeds : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(seeds_folder()))
      GTEST_SKIP() << "the documents are not here: " << seeds_folder() << " (set PARLEY_SHARED)";
  }

  // The documents by their number: "000" → text.
  static std::map<std::string, std::string> documents() {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(seeds_folder()))
      found[entry.path().filename().string().substr(0, 3)] = text_of(entry.path());
    return found;
  }
};

// What ingress says of a message sent by whom it says, a second after it says so.
Verdict judge_message(const profile::Ruleset& rules, const std::string& bytes) {
  const auto document = json::Document::parse(bytes);
  if (!document) return {"BAD_JSON", "BAD_JSON", {document.error().message}, {}};
  const profile::TypeReading& type = rules.reading->types.front();
  const profile::Places& places = rules.reading->places[type.places];
  const auto stated = [&](profile::Slot slot) { return document->root().at_pointer(places.pointer(slot)).if_string(); };
  ingress::Options options;
  options.sender = stated(type.envelope.sender).value_or("nobody");
  options.now =
      *base::parse_rfc3339(stated(type.envelope.timestamp).value_or("2025-10-22T12:00:00Z")) + std::chrono::seconds(1);
  const auto word = [](const auto& result) {
    return result ? std::string("accepted") : std::string(base::info(result.error().code).name);
  };
  Verdict verdict;
  const auto strict = ingress::check({bytes, document->root()}, rules, options);
  verdict.strict = word(strict);
  if (!strict) verdict.defects = shortened(strict.error().details);
  options.validation = Validation::lenient;
  const auto lenient = ingress::check({bytes, document->root()}, rules, options);
  verdict.lenient = word(lenient);
  if (lenient) verdict.recorded = shortened(lenient->validation_errors);
  return verdict;
}

// A record is held against its schema; there is no lenient form of that.
Verdict judge_record(const profile::Ruleset& rules, std::string_view record, const std::string& bytes) {
  const auto document = json::Document::parse(bytes);
  if (!document) return {"BAD_JSON", "", {document.error().message}, {}};
  for (const auto& [name, program] : rules.reading->records) {
    if (name != record) continue;
    const auto problems = rules.reading->programs[program].explain(document->root());
    return {problems.empty() ? "accepted" : "SCHEMA", "", shortened(problems), {}};
  }
  return {"no such record", "", {}, {}};
}

void expect_verdict(json::Value expected, const Verdict& got, const std::string& where) {
  std::vector<std::string> defects;
  for (const json::Value defect : expected.find("defects").elements()) defects.emplace_back(defect.as_string());
  EXPECT_EQ(got.strict, expected.find("strict").if_string().value_or("")) << where;
  EXPECT_EQ(got.defects, defects) << where;
  if (expected.find("record")) return;
  EXPECT_EQ(got.lenient, expected.find("lenient").if_string().value_or("")) << where;
  EXPECT_EQ(got.recorded, defects) << where;
}

// A row may say otherwise of a text with one of the alternatives that are printed.
json::Value row_of(json::Value row, std::string_view text) {
  for (const json::Value other : row.find("but").elements())
    if (text.find(other.find("with").as_string()) != text.npos) return other;
  return row;
}

// COL-22, PIP-01, PIP-02, PIP-03, SUP-02, SUP-03, MSH-01
TEST_F(Seeds, EveryPrintedExampleGetsItsVerdict) {
  const profile::Rulesets rulesets = profile::built_in();
  const auto documents = this->documents();
  std::size_t blocks_seen = 0, texts_seen = 0;
  const bool show = std::getenv("PARLEY_SHOW") != nullptr;
  for (const json::Value document : verdicts().root().find("documents").elements()) {
    const std::string number(document.find("document").as_string());
    const auto rules = rulesets.find(document.find("profile").as_string());
    ASSERT_TRUE(documents.contains(number)) << number;
    const std::vector<Block> blocks = json_blocks(documents.at(number));
    const json::Value expected = document.find("blocks");
    EXPECT_EQ(blocks.size(), expected.size()) << number << ": the table has a row for each printed block";
    for (const Block& block : blocks) {
      const std::string where = number + " line " + std::to_string(block.line) + " (" + block.heading + ')';
      json::Value row;
      for (const json::Value candidate : expected.elements())
        if (candidate.find("line").if_uint() == block.line) row = candidate;
      EXPECT_TRUE(row || show) << where << " has no row";
      ++blocks_seen;
      for (const std::string& text : filled_in(block.text)) {
        ++texts_seen;
        const auto record = row.find("record").if_string();
        const Verdict verdict = record ? judge_record(*rules, *record, text) : judge_message(*rules, text);
        if (show) {
          std::printf("%s %s %s", where.c_str(), verdict.strict.c_str(), verdict.lenient.c_str());
          for (const std::string& defect : verdict.defects) std::printf(" [%s]", defect.c_str());
          std::printf("\n");
          continue;
        }
        expect_verdict(row_of(row, text), verdict, where + '\n' + text);
      }
    }
  }
  std::printf("%zu printed blocks, %zu texts with each alternative filled in\n", blocks_seen, texts_seen);
  EXPECT_EQ(blocks_seen, verdicts().root().find("count").if_uint());
}

}  // namespace
}  // namespace parley::seeds
