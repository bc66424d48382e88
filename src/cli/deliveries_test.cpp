// What a person reads of a delivery: what it is, what is wrong with it, and the message, of which a terminal obeys
// nothing (G3).
#include "cli/deliveries.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace parley::cli {
namespace {

std::string printed(const sdk::Delivery& delivery) {
  std::ostringstream out, err;
  print_delivery({out, err}, delivery);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

TEST(PrintedDelivery, first_what_it_is_then_its_warnings_then_the_message) {
  EXPECT_EQ(printed({.delivery_id = "17-2",
                     .offset = 17,
                     .attempt = 2,
                     .lease_until = "2026-01-02T03:04:05Z",
                     .priority = "high",
                     .message = R"({"text":"red \u001b[31m"})",
                     .notice = {},
                     .warnings = R"([{"instance":"/to","schema":"BOUNCED","message":"the mailbox of 'b' is full"}])"}),
            "delivery 17-2  offset 17  attempt 2  high  lease until 2026-01-02T03:04:05Z\n"
            "  warning  BOUNCED  /to  the mailbox of 'b' is full\n"
            "{\n"
            "  \"text\": \"red \\u001b[31m\"\n"
            "}\n");
}

TEST(PrintedDelivery, the_servers_own_words_where_there_is_no_message) {
  EXPECT_EQ(printed({.delivery_id = "3-1",
                     .offset = 3,
                     .lease_until = {},
                     .priority = "normal",
                     .by_server = true,
                     .message = {},
                     .notice = R"({"notice":"expired"})",
                     .warnings = {}}),
            "delivery 3-1  offset 3  attempt 1  normal\n"
            "{\n"
            "  \"notice\": \"expired\"\n"
            "}\n");
}

}  // namespace
}  // namespace parley::cli
