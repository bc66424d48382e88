#include "base/time.hpp"

#include <gtest/gtest.h>

namespace parley::base {
namespace {

TEST(Time, ReadsAndWritesRfc3339) {
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2026-01-26T10:00:00Z")), "2026-01-26T10:00:00Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2026-01-26T10:00:00.250+02:00")), "2026-01-26T08:00:00.25Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("1969-12-31T23:59:59.999999Z")), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("2016-12-31T23:59:60Z")), "2016-12-31T23:59:59.999999Z");
}

TEST(Time, YearsHaveFourDigits) {
  const Instant last = *parse_rfc3339("9999-12-31T23:59:59.999999Z");
  for (const char* later : {"9999-12-31T23:59:59-14:00", "9999-12-31T23:59:60Z", "9999-12-31T10:00:00.5-23:59"})
    EXPECT_EQ(*parse_rfc3339(later), last) << later;
  EXPECT_EQ(to_rfc3339(last), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_rfc3339(last + Duration(1)), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("0000-01-01T00:00:00+14:00")), "0000-01-01T00:00:00Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("9999-12-31T23:59:59+14:00")), "9999-12-31T09:59:59Z");
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-01-26", "2026-02-30T10:00:00Z", "2026-01-26T24:00:00Z", "2026-01-26T10:00:00",
                           "2026-01-26T10:00:00.Z", "2026-01-26T10:00:60Z", "2026-01-26T10:00:00+1:00"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Time, ReadsAndWritesDurations) {
  EXPECT_EQ(*parse_duration("100ms"), Duration(100'000));
  EXPECT_EQ(to_text(Duration(30'000'000)), "30s");
  EXPECT_EQ(to_text(Duration(0)), "0s");
  EXPECT_EQ(to_text(*parse_duration("90s")), "90s");
  for (const char* text : {"", "5", "s", "-1s", "1.5s", "9223372036854775807h"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

}  // namespace
}  // namespace parley::base
