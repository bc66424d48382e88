#include "ingress/expiry.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace parley::ingress {
namespace {

using profile::ExpiryUnit;

const base::Instant read_at = base::instant_of(1'800'000'000'000'000);

std::optional<base::Instant> expiry(std::string_view json, ExpiryUnit unit) {
  const auto document = json::Document::parse(json);
  return expiry_of(document->root(), unit, read_at);
}

// COR-16
TEST(Expiry, ATimeToLiveCountsFromTheServersNow) {
  EXPECT_EQ(expiry("60", ExpiryUnit::seconds), read_at + std::chrono::seconds(60));
  EXPECT_EQ(expiry("1.5", ExpiryUnit::seconds), read_at + std::chrono::milliseconds(1500));
  EXPECT_EQ(expiry("250", ExpiryUnit::milliseconds), read_at + std::chrono::milliseconds(250));
}

// reliability C3: defined for every number a JSON text can hold.
TEST(Expiry, NothingIsLeftOfAZeroOrNegativeTimeToLive) {
  for (const char* number : {"0", "-0", "0.0", "-1", "-9223372036854775808", "-1e308"}) {
    EXPECT_EQ(expiry(number, ExpiryUnit::seconds), read_at) << number;
    EXPECT_EQ(expiry(number, ExpiryUnit::milliseconds), read_at) << number;
  }
}

TEST(Expiry, AnImmenseTimeToLiveNeverEnds) {
  for (const char* number : {"9223372036854775807", "9223372036854775808", "18446744073709551615", "1e300",
                             "1.7976931348623157e308", "251700000000"}) {
    EXPECT_EQ(expiry(number, ExpiryUnit::seconds), std::nullopt) << number;
  }
  EXPECT_EQ(expiry("86400", ExpiryUnit::seconds), read_at + std::chrono::days(1));
}

TEST(Expiry, AnInstantIsTakenAsItStands) {
  EXPECT_EQ(base::to_rfc3339(*expiry("\"2025-10-22T13:00:00Z\"", ExpiryUnit::instant)), "2025-10-22T13:00:00Z");
  EXPECT_EQ(base::to_rfc3339(*expiry("\"2025-10-22T15:00:00+02:00\"", ExpiryUnit::instant)), "2025-10-22T13:00:00Z");
}

TEST(Expiry, WhatIsNoNumberOrTimeSaysNothing) {
  EXPECT_EQ(expiry("\"60\"", ExpiryUnit::seconds), std::nullopt);
  EXPECT_EQ(expiry("null", ExpiryUnit::milliseconds), std::nullopt);
  EXPECT_EQ(expiry("\"tomorrow\"", ExpiryUnit::instant), std::nullopt);
  EXPECT_EQ(expiry("1761138000", ExpiryUnit::instant), std::nullopt);
}

}  // namespace
}  // namespace parley::ingress
