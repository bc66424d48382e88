// G3: nothing that a message says is obeyed by a terminal.
#include "cli/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "json/parser.hpp"

namespace parley::cli {
namespace {

TEST(Printable, G3_escapes_colours_titles_and_cursor_moves_are_shown_not_obeyed) {
  EXPECT_EQ(printable("\033[31mred\033[0m"), "\\u001b[31mred\\u001b[0m");
  EXPECT_EQ(printable("a\rb\nc\td\a\b"), "a\\rb\\nc\\td\\u0007\\u0008");
  EXPECT_EQ(printable("\x7f"), "\\u007f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m")
      << "C1's CSI needs no escape character";
}

TEST(Printable, G3_text_that_would_run_backwards_is_shown) {
  EXPECT_EQ(printable("\u202Eabc\u2066"), "\\u202eabc\\u2066");
  EXPECT_EQ(printable("a\u2028b"), "a\\u2028b");
}

TEST(Printable, text_of_every_language_stays_as_it_is) {
  EXPECT_EQ(printable("Größe 漢字 🙂 שלום"), "Größe 漢字 🙂 שלום");
  EXPECT_EQ(printable("a\nb\tc", true), "a\nb\tc");
}

TEST(Printable, bytes_that_are_no_utf8_are_shown) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a lone surrogate";
  EXPECT_EQ(printable("\xE6\xBC"), "\\xe6\\xbc") << "cut off";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
}

TEST(PrintableJson, the_document_stays_the_same_document) {
  const std::string text = "{\"a\":\"\xC2\x9B\u202E\x7f\\u001b\"}\n";
  const auto before = json::Document::parse(text);
  const auto after = json::Document::parse(printable_json(text));
  ASSERT_TRUE(before && after);
  EXPECT_TRUE(json::equal(before->root(), after->root()));
  EXPECT_EQ(printable_json(text), "{\"a\":\"\\u009b\\u202e\\u007f\\u001b\"}\n");
}

TEST(Coloured, only_a_terminal_gets_colours) {
  EXPECT_EQ(coloured("x", Colour::red, false), "x");
  EXPECT_EQ(coloured("x", Colour::red, true), "\033[31mx\033[0m");
  EXPECT_EQ(coloured("x", Colour::none, true), "x");
}

TEST(Table, columns_are_aligned_by_characters_not_bytes) {
  std::ostringstream out;
  print_table(out, {"NAME", "N"}, {{"äöü", "1"}, {"abcdef", "2"}}, false);
  EXPECT_EQ(out.str(), "NAME    N\näöü     1\nabcdef  2\n");
}

TEST(Table, items_show_every_column_that_any_of_them_has) {
  std::ostringstream out, err;
  const Terminal terminal{out, err};
  const auto items = json::Document::parse(R"([{"id": "a", "n": 1}, {"id": "b\u001b", "tags": ["x"]}])");
  print_items(terminal, items->root());
  EXPECT_EQ(out.str(), "id       n  tags\na        1  \nb\\u001b     [\"x\"]\n");
}

TEST(Members, a_large_object_has_lines_of_its_own) {
  std::ostringstream out, err;
  const Terminal terminal{out, err};
  const std::string text(90, 'x');
  const auto object = json::Document::parse(
      R"({"name": "demo", "small": {"a": 1}, "settings": {"lease": "30s", "words": ")" + text + "\"}}");
  print_members(terminal, object->root());
  EXPECT_EQ(out.str(), "name      demo\nsmall     {\"a\":1}\nsettings\n  lease  30s\n  words  " + text + "\n");
}

TEST(Members, each_element_of_a_long_list_has_a_line) {
  std::ostringstream out, err;
  const Terminal terminal{out, err, false, false, {}};
  const std::string text(90, 'x');
  const auto object =
      json::Document::parse(R"({"short": [1, 2], "history": [{"at": 1, "a": ")" + text + R"("}, {"at": 2}]})");
  print_members(terminal, object->root());
  EXPECT_EQ(out.str(), "short    [1,2]\nhistory\n  {\"at\":1,\"a\":\"" + text + "\"}\n  {\"at\":2}\n");
}

TEST(Cell, long_values_are_cut_between_characters) {
  const auto value = json::Document::parse("\"äöüäöü\"");
  EXPECT_EQ(cell_of(value->root(), 4), "äöü…");
  EXPECT_EQ(cell_of(value->root(), 6), "äöüäöü");
  EXPECT_EQ(cell_of(json::Value()), "");
}

}  // namespace
}  // namespace parley::cli
