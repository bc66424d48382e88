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

}  // namespace
}  // namespace parley::gateway::http
