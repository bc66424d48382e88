// The whole of JSONTestSuite's test_parsing (reliability F1), with every implementation simdjson may choose at run
// time, and the fixed table of what Parley does where RFC 8259 leaves it open (docs/reference/json.md).
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "json/fault.hpp"
#include "json/parser.hpp"

namespace parley::json {
namespace {

namespace fs = std::filesystem;

// COR-04, F1: what the RFC leaves open. Accepted: what has one obvious value. All else is refused.
const std::map<std::string, bool> left_open = {
    {"i_number_double_huge_neg_exp.json", true},  // rounds to 0
    {"i_number_huge_exp.json", false},
    {"i_number_neg_int_huge_exp.json", false},
    {"i_number_pos_double_huge_exp.json", false},
    {"i_number_real_neg_overflow.json", false},
    {"i_number_real_pos_overflow.json", false},
    {"i_number_real_underflow.json", true},  // rounds to 0
    {"i_number_too_big_neg_int.json", false},
    {"i_number_too_big_pos_int.json", false},
    {"i_number_very_big_negative_int.json", false},
    {"i_object_key_lone_2nd_surrogate.json", false},
    {"i_string_1st_surrogate_but_2nd_missing.json", false},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", false},
    {"i_string_UTF-16LE_with_BOM.json", false},
    {"i_string_UTF-8_invalid_sequence.json", false},
    {"i_string_UTF8_surrogate_U+D800.json", false},
    {"i_string_incomplete_surrogate_and_escape_valid.json", false},
    {"i_string_incomplete_surrogate_pair.json", false},
    {"i_string_incomplete_surrogates_escape_valid.json", false},
    {"i_string_invalid_lonely_surrogate.json", false},
    {"i_string_invalid_surrogate.json", false},
    {"i_string_invalid_utf-8.json", false},
    {"i_string_inverted_surrogates_U+1D11E.json", false},
    {"i_string_iso_latin_1.json", false},
    {"i_string_lone_second_surrogate.json", false},
    {"i_string_lone_utf8_continuation_byte.json", false},
    {"i_string_not_in_unicode_range.json", false},
    {"i_string_overlong_sequence_2_bytes.json", false},
    {"i_string_overlong_sequence_6_bytes.json", false},
    {"i_string_overlong_sequence_6_bytes_null.json", false},
    {"i_string_truncated-utf-8.json", false},
    {"i_string_utf16BE_no_BOM.json", false},
    {"i_string_utf16LE_no_BOM.json", false},
    {"i_structure_500_nested_arrays.json", false},  // the limit is 64
    {"i_structure_UTF-8_BOM_empty_object.json", false},
};

// What the suite accepts and Parley refuses: an object that has a key twice (F4), a number of 82 characters (F3).
const std::map<std::string, bool> stricter = {
    {"y_number_double_close_to_zero.json", false},
    {"y_object_duplicated_key.json", false},
    {"y_object_duplicated_key_and_value.json", false},
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool expected(const std::string& name) {
  if (const auto found = stricter.find(name); found != stricter.end()) return found->second;
  if (name.starts_with("i_")) return left_open.at(name);
  return name.starts_with("y_");
}

fs::path suite_folder() {
  const char* shared = std::getenv("PARLEY_SHARED");
  const char* source = std::getenv("PARLEY_SOURCE");
  fs::path base = shared && *shared ? fs::path(shared) : fs::path(source ? source : ".") / "../shared";
  return base / "data/json-test-suite/test_parsing";
}

TEST(JsonSuite, COR_04_F1_every_file_has_its_verdict) {
  if (!fs::exists(suite_folder())) GTEST_SKIP() << "no JSONTestSuite at " << suite_folder();
  const auto* const chosen = simdjson::get_active_implementation().operator->();
  for (const auto* implementation : simdjson::get_available_implementations()) {
    if (!implementation->supported_by_runtime_system()) continue;
    simdjson::get_active_implementation() = implementation;
    Parser parser;
    std::map<char, int> counted;
    for (const auto& entry : fs::directory_iterator(suite_folder())) {
      const std::string name = entry.path().filename();
      const auto result = parser.parse(read(entry.path()));
      EXPECT_EQ(result.has_value(), expected(name)) << name << " with " << implementation->name();
      ++counted[name[0]];
    }
    EXPECT_EQ(counted, (std::map<char, int>{{'y', 95}, {'n', 188}, {'i', 35}}));
  }
  simdjson::get_active_implementation() = chosen;
}

// F1 by the letter: with F3's limit on numbers lifted, every y_ file but those with duplicate keys is accepted.
TEST(JsonSuite, F1_only_limits_and_duplicate_keys_separate_us_from_the_suite) {
  if (!fs::exists(suite_folder())) GTEST_SKIP() << "no JSONTestSuite at " << suite_folder();
  Parser parser;
  const Limits wide{.number_chars = 128};
  EXPECT_TRUE(parser.parse(read(suite_folder() / "y_number_double_close_to_zero.json"), wide));
  const auto twice = parser.parse(read(suite_folder() / "y_object_duplicated_key.json"), wide);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().where, "/a");
}

// The scanner that explains a refusal agrees with the parser that made it, and always names a place.
TEST(JsonSuite, F1_the_scanner_finds_a_fault_exactly_where_the_parser_refuses) {
  if (!fs::exists(suite_folder())) GTEST_SKIP() << "no JSONTestSuite at " << suite_folder();
  Parser parser;
  for (const auto& entry : fs::directory_iterator(suite_folder())) {
    const std::string name = entry.path().filename(), text = read(entry.path());
    if (stricter.contains(name)) continue;
    const Limits limits;
    const auto fault = find_fault(text, limits);
    const auto result = parser.parse(text, limits);
    EXPECT_EQ(fault.has_value(), !result.has_value()) << name;
    if (!fault || result) continue;
    EXPECT_EQ(result.error().where, "byte " + std::to_string(fault->byte)) << name;
    EXPECT_LE(fault->byte, text.size()) << name;
  }
}

}  // namespace
}  // namespace parley::json
