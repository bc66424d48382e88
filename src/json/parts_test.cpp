#include "json/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> parts(std::string_view text) {
  const auto found = parts_of(text, 4);
  EXPECT_TRUE(found) << text;
  return found.value_or(std::vector<std::string_view>());
}

TEST(JsonParts, AreTheElementsOrMembersWhateverTheyAre) {
  EXPECT_THAT(parts(R"( [ {"a":1,"a":2} , [1,[2,3]], nonsense ,"x" ] )"),
              ElementsAre(R"({"a":1,"a":2})", "[1,[2,3]]", "nonsense", R"("x")"));
  EXPECT_THAT(parts(R"({"id": 41, "a": {"b": [1, 2]}})"), ElementsAre(R"("id": 41)", R"("a": {"b": [1, 2]})"));
  EXPECT_THAT(parts(" [ ] "), IsEmpty());
}

TEST(JsonParts, StringsHideWhatIsInThem) {
  EXPECT_THAT(parts(R"(["a,]\"}", "\\", "["])"), ElementsAre(R"("a,]\"}")", R"("\\")", R"("[")"));
}

TEST(JsonParts, AreNoneWhereBracketsOrCommasAreOut) {
  for (const char* text : {"", "[", "]", "1", "[1,]", "[,1]", "[1,,2]", "[{]", "[}]", "[1]]", "[[1]", "[\"a]", "[1}",
                           "[\"\\\"]", "{\"a\":1", "[1,2,3,4,5]"})
    EXPECT_FALSE(parts_of(text, 4)) << text;
}

TEST(JsonParts, AreOneOnlyWhereNothingIsSwallowed) {
  for (const char* one : {R"({"a":1,"a":2})", R"({"a":nul})", R"({"a":[{"b":1},{"b":02}]})", R"({"a":"},{"})",
                          R"({"a":"[{\"b\":1}, {\"b\":2}]"})", R"({"a" "b"})", "1", "null", R"("x, y")", "[1,[2,3]]"})
    EXPECT_TRUE(is_one_part(one)) << one;
  for (const char* unsure :
       {"nul", "1e999", R"("{}")", R"([{"a":1}])", R"(", {"a":1}, ")", R"({"a":"5" pipe"},{"b":1},{"a":"6" pipe"})",
        R"({"a":"5" pipe"} , {"a":"6" pipe"})", R"({"a":{"b":1},{"c":1},{"d":1}})"})
    EXPECT_FALSE(is_one_part(unsure)) << unsure;
}

TEST(JsonLines, AreThoseThatSaySomething) {
  EXPECT_THAT(lines_of("{\"a\":1}\n\n \t\r\n[\n nonsense \r\n"), ElementsAre(R"({"a":1})", "[", " nonsense \r"));
  EXPECT_THAT(lines_of("1"), ElementsAre("1"));
  EXPECT_THAT(lines_of(" \n"), IsEmpty());
}

}  // namespace
}  // namespace parley::json
