// Records that own their bytes, for tests.
#pragma once
#include <gtest/gtest.h>

#include <array>
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

inline std::vector<Record> views_of(const std::vector<TestRecord>& records) {
  std::vector<Record> views;
  for (const TestRecord& record : records) {
    Record view{record.event, {}, {}, record.body.has_value()};
    if (record.body) {
      view.body = *record.body;
      view.body_hash = base::sha256(*record.body);
    }
    views.push_back(view);
  }
  return views;
}

inline base::Result<Ticket> append_all(Journal& journal, const std::vector<TestRecord>& records,
                                       std::int64_t time_us = 1) {
  // Those before may still be on their way to the disk: kept while a few more are appended or refused.
  static std::array<std::vector<TestRecord>, 8> kept;
  static std::size_t turn = 0;
  std::vector<TestRecord>& mine = kept[turn++ % kept.size()];
  mine = records;
  return journal.append(views_of(mine), base::instant_of(time_us));
}

// Nothing where it is not as written.
inline std::optional<std::string> contents_of(Journal& journal, const SnapshotInfo& snapshot) {
  const auto reader = journal.read_snapshot(snapshot);
  if (!reader) return std::nullopt;
  std::string contents;
  auto piece = (*reader)->next();
  for (; piece && !piece->empty(); piece = (*reader)->next()) contents += *piece;
  return piece ? std::optional(contents) : std::nullopt;
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

// Until all that was appended is durable, and can be read.
inline void settle(Journal& journal) {
  RecordedOutcomes outcomes;
  while (journal.durable_head() < journal.head().position && !outcomes.ended_as) journal.poll(outcomes);
}

template <class T>
std::string error_text(const base::Result<T>& result) {
  if (result) return "no error";
  return std::string(info(result.error().code).name) + " " + result.error().where + ": " + result.error().message;
}

}  // namespace parley::journal
