#include "envelope/carried.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace parley::envelope {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields read(std::string_view text) {
  Fields fields;
  visit_carried(text, [&](std::string_view name, std::string_view json) { fields.emplace_back(name, json); });
  return fields;
}

TEST(Carried, are_the_fields_that_were_added) {
  const Fields fields{{"status", R"("all: done")"}, {"resources", R"({"cpu":[1,2]})"}, {"accepted", "true"}};
  std::string text;
  for (const auto& [name, json] : fields) add_carried(text, name, json);
  EXPECT_EQ(text, "status:\"all: done\"\nresources:{\"cpu\":[1,2]}\naccepted:true\n");
  EXPECT_EQ(read(text), fields);
}

TEST(Carried, nothing_is_read_of_what_is_no_field) {
  EXPECT_EQ(read(""), Fields{});
  EXPECT_EQ(read("no field\n"), Fields{});
  EXPECT_EQ(read("a:1\nb:2"), (Fields{{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace parley::envelope
