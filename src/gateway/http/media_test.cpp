#include "gateway/http/media.hpp"

#include <gtest/gtest.h>

namespace parley::gateway::http {
namespace {

TEST(MediaType, Is_without_parameters_and_case) {
  EXPECT_EQ(media_type("application/json"), "application/json");
  EXPECT_EQ(media_type("Application/JSON; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type("application/x-ndjson ;a=b"), "application/x-ndjson");
  EXPECT_EQ(media_type("application/x-ndjsonx"), "application/x-ndjsonx");
  EXPECT_EQ(media_type("application/json, text/plain"), "application/json, text/plain");
  EXPECT_EQ(media_type(""), "");
}

TEST(MediaType, Is_utf8_where_it_says_no_other) {
  for (const char* type :
       {"", "application/json", "application/json; charset=utf-8", "a/b;CHARSET=UTF-8", "a/b; charset=\"Utf-8\" ; x=y",
        "a/b; x=latin1", "a/b; charset", "a/b; x=\"a;charset=latin1\"", "a/b; x=\"\\\";charset=latin1\"",
        "a/b; charset=utf8", "a/b; charset=us-ascii"})
    EXPECT_TRUE(is_utf8(type)) << type;
  for (const char* type : {"application/json; charset=latin1", "a/b;charset=\"utf-16\"", "a/b; x=y; Charset=utf-7",
                           "a/b; charset=", "a/b; x=\";\"; charset=latin1", "a/b; charset=utf-8; charset=latin1"})
    EXPECT_FALSE(is_utf8(type)) << type;
}

}  // namespace
}  // namespace parley::gateway::http
