#include "envelope/gist.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::envelope {
namespace {

std::uint32_t gist(std::string_view text, const Envelope& envelope = {}) {
  return gist_of(envelope, json::Document::parse(text).value().root());
}

// Two messages of one gist are one repetition of each other (BEY-04): what an answer's form alone changes is not in it.
TEST(Gist, leaves_out_ids_numbers_and_times) {
  Envelope first;
  first.message_id = "m-1";
  first.reply_to = "m-0";
  first.correlation = "talk";
  first.sequence = 4;
  Envelope second = first;
  second.message_id = "m-2";
  second.reply_to = "m-1";
  second.correlation = "other";
  second.sequence = 5;
  const auto text = [](std::string id, std::string to, std::string talk, std::string number, std::string time) {
    return R"({"id":")" + id + R"(","to":")" + to + R"(","talk":")" + talk + R"(","n":)" + number + R"(,"at":")" +
           time + R"(","trace":"0123456789abcdef)" + number + R"(","words":["over","to","you"]})";
  };
  EXPECT_EQ(gist(text("m-1", "m-0", "talk", "4", "2026-02-03T09:00:04Z"), first),
            gist(text("m-2", "m-1", "other", "5", "2026-02-03T09:00:04.25+01:00"), second));
}

TEST(Gist, is_of_every_word_number_and_place) {
  const std::string base = R"({"a":["over","to","you"],"b":{"c":1,"d":true,"e":null,"f":2.5}})";
  for (const char* const other : {R"({"a":["over","to","me"],"b":{"c":1,"d":true,"e":null,"f":2.5}})",
                                  R"({"a":["over","toyou"],"b":{"c":1,"d":true,"e":null,"f":2.5}})",
                                  R"({"a":["over","to","you"],"b":{"c":2,"d":true,"e":null,"f":2.5}})",
                                  R"({"a":["over","to","you"],"b":{"c":1,"d":false,"e":null,"f":2.5}})",
                                  R"({"a":["over","to","you"],"b":{"c":1,"d":true,"e":0,"f":2.5}})",
                                  R"({"a":["over","to","you"],"b":{"c":1,"d":true,"e":null,"f":2.25}})",
                                  R"({"a":["over","to","you"],"c":{"c":1,"d":true,"e":null,"f":2.5}})",
                                  R"({"a":["over","to","you",""],"b":{"c":1,"d":true,"e":null,"f":2.5}})", R"({})"})
    EXPECT_NE(gist(base), gist(other)) << other;
}

// What only looks like an id or a time says something.
TEST(Gist, is_of_near_ids_and_near_times) {
  const auto of = [](std::string text) { return gist(R"({"a":")" + text + R"("})"); };
  EXPECT_EQ(of("1234-5678-90ab-c"), of("1234-5678-90ab-d"));
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{{"1234-5678-90ab-x", "1234-5678-90ab-y"},
                                                        {"1234-5678-90ab-", "1234-5678-90ac-"},
                                                        {"2026-02-03T09:00:04 ", "2026-02-03T09:00:05 "},
                                                        {"2026-02-30T09:00:04Z", "2026-02-31T09:00:04Z"},
                                                        {"task-000000000000001", "task-000000000000002"}})
    EXPECT_NE(of(one), of(other)) << one;
}

// It is in events: other sums would make of what was said before something new.
TEST(Gist, is_the_same_in_every_build) {
  Envelope envelope;
  envelope.message_id = "m-1";
  envelope.sequence = 7;
  std::string text = R"({"id":"m-1","n":7,"u":18446744073709551615,"r":-2.5,"t":true,"z":null,"a":[1,"x",{}],"s":")";
  text += std::string(300, 'y') + R"(","long":")" + std::string(5000, 'z') + R"(","end":"at last"})";
  EXPECT_EQ(gist(text, envelope), 4219365328u);
  EXPECT_EQ(gist("{}"), 3457398352u);
}

}  // namespace
}  // namespace parley::envelope
