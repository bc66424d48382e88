#include "gateway/http/sending.hpp"

#include <gtest/gtest.h>

namespace parley::gateway::http {
namespace {

// D11: what it holds counts until it is answered, not only what is left to send.
TEST(Sending, CountsWhatItKeeps) {
  std::string body = "firstsecondthird";
  Sending sending;
  sending.texts = {std::string_view(body).substr(0, 5), std::string_view(body).substr(5, 6),
                   std::string_view(body).substr(11)};
  EXPECT_EQ(sending.bytes(), 16U);
  sending.next = 1;
  sending.answer = "{}";
  EXPECT_EQ(sending.bytes(), 13U);
  sending.keep_rest();
  body.assign(body.size(), '-');
  EXPECT_EQ(sending.texts[1], "second");
  EXPECT_EQ(sending.texts[2], "third");
  sending.next = 2;
  EXPECT_EQ(sending.bytes(), 13U);
  sending.keep_rest();
  EXPECT_EQ(sending.kept, "secondthird");
}

}  // namespace
}  // namespace parley::gateway::http
