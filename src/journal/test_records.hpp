// Records that own their bytes, for tests.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace parley::journal {

struct TestRecord {
  std::string event;
  std::optional<std::string> body;
};

inline base::Result<Ticket> append_all(Journal& journal, const std::vector<TestRecord>& records,
                                       std::int64_t time_us = 1) {
  std::vector<Record> views;
  for (const TestRecord& record : records) {
    Record view{record.event, {}, {}, record.body.has_value()};
    if (record.body) {
      view.body = *record.body;
      view.body_hash = base::sha256(*record.body);
    }
    views.push_back(view);
  }
  return journal.append(views, base::instant_of(time_us));
}

inline std::vector<TestRecord> random_records(std::mt19937_64& random) {
  const auto text = [&](std::size_t max) {
    return std::string(random() % max, static_cast<char>('a' + random() % 26));
  };
  std::vector<TestRecord> records(1 + random() % 5);
  for (TestRecord& record : records) {
    record.event = text(200);
    if (random() % 4 != 0) record.body = text(random() % 10 == 0 ? 6000 : 700);
  }
  return records;
}

struct RecordedOutcomes final : Outcomes {
  void durable_up_to(Position position) override { durable.push_back(position); }
  void ended(Outcome outcome, const base::Error& why) override {
    EXPECT_FALSE(ended_as.has_value());
    ended_as = outcome;
    error = why;
  }
  std::vector<Position> durable;
  std::optional<Outcome> ended_as;
  base::Error error;
};

template <class T>
std::string error_text(const base::Result<T>& result) {
  if (result) return "no error";
  return std::string(info(result.error().code).name) + " " + result.error().where + ": " + result.error().message;
}

}  // namespace parley::journal
