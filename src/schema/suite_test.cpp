// The JSON Schema Test Suite of draft 2020-12 (reliability F2): every required test passes. What passes of the optional
// ones stands in docs/reference/json-schema.md, which this test compares, so that the table cannot drift.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "schema/program.hpp"

namespace parley::schema {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path data_folder() {
  const char* shared = std::getenv("PARLEY_SHARED");
  const char* source = std::getenv("PARLEY_SOURCE");
  return (shared && *shared ? fs::path(shared) : fs::path(source ? source : ".") / "../shared") / "data";
}

fs::path suite_folder() {
  return data_folder() / "json-schema-test-suite";
}

Registry suite_registry() {
  Registry registry;
  const auto add = [&](const std::string& uri, const fs::path& path) {
    const auto added = registry.add(uri, read(path));
    EXPECT_TRUE(added) << path << ": " << (added ? "" : added.error().message);
  };
  const fs::path metaschema = data_folder() / "json-schema-2020-12-metaschema";
  add("https://json-schema.org/draft/2020-12/schema", metaschema / "schema.json");
  for (const auto& entry : fs::directory_iterator(metaschema / "meta"))
    add("https://json-schema.org/draft/2020-12/meta/" + entry.path().stem().string(), entry.path());
  const fs::path remotes = suite_folder() / "remotes";
  for (const auto& entry : fs::recursive_directory_iterator(remotes)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = fs::relative(entry.path(), remotes).generic_string();
    if (name.starts_with("draft") && !name.starts_with("draft2020-12")) continue;
    if (name.starts_with("v1") || name.starts_with("draft-next")) continue;
    add("http://localhost:1234/" + name, entry.path());
  }
  return registry;
}

struct Tally {
  int passed = 0, total = 0;
};

Tally run_file(const fs::path& path, const Registry& registry, bool assert_formats, bool must_pass) {
  Tally tally;
  auto document = json::Document::parse(read(path), {.bytes = 8 << 20});
  if (!document) {  // bignum.json: integers beyond 64 bits are refused as JSON already
    EXPECT_FALSE(must_pass) << path;
    const std::string text = read(path);
    for (std::size_t at = 0; (at = text.find("\"valid\"", at)) != text.npos; ++at) ++tally.total;
    return tally;
  }
  for (const json::Value group : document->root().elements()) {
    const auto program =
        compile(json::to_text(group.find("schema")), registry, {.base_uri = {}, .assert_formats = assert_formats});
    const std::string name = path.filename().string() + ": " + std::string(group.find("description").as_string());
    if (must_pass) {
      EXPECT_TRUE(program) << name << ": " << (program ? "" : program.error().message + " at " + program.error().where);
    }
    for (const json::Value test : group.find("tests").elements()) {
      ++tally.total;
      if (!program) continue;
      const json::Value data = test.find("data");
      const bool accepted = program->accepts(data);
      tally.passed += accepted == test.find("valid").as_bool();
      const auto problems = program->explain(data);
      EXPECT_EQ(accepted, problems.empty()) << name;
      if (must_pass) {
        EXPECT_EQ(accepted, test.find("valid").as_bool())
            << name << ": " << test.find("description").as_string() << " " << json::to_text(data) << " "
            << (problems.empty() ? "" : problems[0].schema);
      }
    }
  }
  return tally;
}

// COR-04, F2
TEST(SchemaSuite, COR_04_F2_every_required_test_passes) {
  if (!fs::exists(suite_folder())) GTEST_SKIP() << "no JSON Schema Test Suite at " << suite_folder();
  const Registry registry = suite_registry();
  Tally sum;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(suite_folder() / "tests/draft2020-12")) {
    if (entry.path().extension() != ".json") continue;
    const Tally tally = run_file(entry.path(), registry, false, true);
    sum.passed += tally.passed;
    sum.total += tally.total;
    ++files;
  }
  EXPECT_EQ(files, 46);
  EXPECT_EQ(sum.passed, 1299);
  EXPECT_EQ(sum.total, 1299);
}

std::string optional_table(const Registry& registry) {
  std::map<std::string, Tally> tallies;
  const fs::path root = suite_folder() / "tests/draft2020-12";
  for (const auto& entry : fs::recursive_directory_iterator(root / "optional")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = fs::relative(entry.path(), root).generic_string();
    tallies[name] = run_file(entry.path(), registry, name.starts_with("optional/format/"), false);
  }
  std::string table = "| file | passed | of |\n|---|---|---|\n";
  for (const auto& [name, tally] : tallies)
    table += "| " + name + " | " + std::to_string(tally.passed) + " | " + std::to_string(tally.total) + " |\n";
  return table;
}

TEST(SchemaSuite, F2_the_reference_states_what_passes_of_the_optional_tests) {
  if (!fs::exists(suite_folder())) GTEST_SKIP() << "no JSON Schema Test Suite at " << suite_folder();
  const char* source = std::getenv("PARLEY_SOURCE");
  ASSERT_TRUE(source) << "PARLEY_SOURCE names the source tree";
  const std::string reference = read(fs::path(source) / "docs/reference/json-schema.md");
  const std::string table = optional_table(suite_registry());
  EXPECT_NE(reference.find(table), std::string::npos) << "Put this table into docs/reference/json-schema.md:\n"
                                                      << table;
}

}  // namespace
}  // namespace parley::schema
