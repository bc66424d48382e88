#include "json/merge_patch.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::json {
namespace {

std::string patched(std::string_view target, std::string_view patch) {
  const auto document = Document::parse(target), change = Document::parse(patch);
  return merge_patch(document->root(), change->root());
}

// RFC 7396, appendix A.
TEST(MergePatch, Gives_what_the_appendix_of_the_rfc_prints) {
  struct Case {
    std::string_view target, patch, result;
  };
  for (const Case& c : std::vector<Case>{{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
                                         {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
                                         {R"({"a":"b"})", R"({"a":null})", R"({})"},
                                         {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
                                         {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
                                         {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
                                         {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
                                         {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
                                         {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
                                         {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
                                         {R"({"a":"foo"})", "null", "null"},
                                         {R"({"a":"foo"})", R"("bar")", R"("bar")"},
                                         {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
                                         {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
                                         {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}})
    EXPECT_EQ(patched(c.target, c.patch), c.result) << c.target << " with " << c.patch;
}

}  // namespace
}  // namespace parley::json
