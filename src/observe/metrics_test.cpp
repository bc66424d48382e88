#include "observe/metrics.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parley::observe {
namespace {

// COR-13: what Prometheus reads.
TEST(Metrics, AreWrittenInTheTextFormatWithTheCataloguesHelp) {
  Metrics metrics;
  metrics.counter(Metric::messages_accepted, "collab").add(3);
  metrics.gauge(Metric::connections, "http").set(-2);
  const std::string text = metrics.text();
  EXPECT_NE(text.find("# HELP parley_messages_accepted_total Messages accepted, by the sender's profile.\n"
                      "# TYPE parley_messages_accepted_total counter\n"
                      "parley_messages_accepted_total{profile=\"collab\"} 3"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("parley_connections{front=\"http\"} -2"), std::string::npos) << text;
  EXPECT_EQ(text.find("parley_dead_letters_total"), std::string::npos) << "has no figure yet";
}

TEST(Metrics, BucketsAreCumulativeInSecondsAndTheirBoundsInclusive) {
  Metrics metrics;
  auto& sync = metrics.histogram(Metric::loop_turn_seconds);
  sync.observe(50);
  sync.observe(51);
  sync.observe(2'000'000);
  const std::string text = metrics.text();
  for (const auto* line : {"_bucket{le=\"5e-05\"} 1\n", "_bucket{le=\"0.0001\"} 2\n", "_bucket{le=\"1\"} 2\n",
                           "_bucket{le=\"+Inf\"} 3\n", "_count 3\n", "_sum 2.000101\n"})
    EXPECT_NE(text.find(std::string("parley_loop_turn_seconds") + line), std::string::npos) << line << text;
}

TEST(Metrics, AHandleIsTheSameEachTimeItIsAskedFor) {
  Metrics metrics;
  EXPECT_EQ(&metrics.counter(Metric::messages_refused, "SCHEMA"), &metrics.counter(Metric::messages_refused, "SCHEMA"));
  EXPECT_NE(&metrics.counter(Metric::messages_refused, "SCHEMA"), &metrics.counter(Metric::messages_refused, "BAD_ID"));
}

// I2: the number of series is bounded whatever names callers bring; G3: a label cannot break out of its line.
TEST(Metrics, NamesBeyondTheBoundCountAsOtherAndAreEscaped) {
  Metrics metrics;
  metrics.counter(Metric::messages_accepted, "a\"\n\\b").add();
  for (int i = 0; i < 500; ++i) metrics.counter(Metric::messages_accepted, "p" + std::to_string(i)).add();
  const std::string text = metrics.text();
  EXPECT_NE(text.find(R"({profile="a\"\n\\b"} 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("{profile=\"other\"} 401"), std::string::npos) << text;
}

}  // namespace
}  // namespace parley::observe
