// What every journal backend must do, as tests: a backend's own test file includes this and instantiates it.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

#include "journal/test_records.hpp"

namespace parley::journal {

// A place where a journal lives. Closing and opening again is the same journal, where the backend keeps anything.
class Site {
 public:
  virtual ~Site() = default;
  virtual Journal& journal() = 0;
  virtual void reopen() = 0;
};

struct Backend {
  std::string name;
  std::function<std::unique_ptr<Site>()> make;
};

class JournalConformance : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override { site_ = GetParam().make(); }
  Journal& journal() { return site_->journal(); }
  Head head() {  // with its chain
    settle(journal());
    return journal().head();
  }

  Ticket append(const std::vector<TestRecord>& records, std::int64_t time_us = 1) {
    auto ticket = append_all(journal(), records, time_us);
    EXPECT_TRUE(ticket.has_value());
    if (!ticket) return {};
    for (const TestRecord& record : records) history_.push_back({record, time_us});
    return *ticket;
  }

  // Everything reads back, from the first to the last, and nothing else.
  void expect_history() {
    settle(journal());
    std::size_t seen = 0;
    const auto reader = journal().reader();
    auto read = reader->read(Position(1), [&](const Entry& entry) -> base::Result<Visit> {
      EXPECT_LT(seen, history_.size());
      if (seen >= history_.size()) return Visit::stop;
      const auto& [record, time_us] = history_[seen];
      EXPECT_EQ(entry.position, Position(++seen));
      EXPECT_EQ(entry.event, record.event);
      EXPECT_EQ(base::unix_us(entry.engine_time), time_us);
      EXPECT_EQ(entry.body, record.body ? BodyKind::kept : BodyKind::none);
      EXPECT_EQ(entry.body_length, record.body ? record.body->size() : 0);
      EXPECT_EQ(entry.body_hash, record.body ? base::sha256(*record.body) : base::Digest{});
      return Visit::next;
    });
    EXPECT_TRUE(read.has_value()) << error_text(read);
    EXPECT_EQ(seen, history_.size());
    EXPECT_EQ(journal().head().position, Position(history_.size()));
    for (std::size_t i = 0; i < history_.size(); ++i) expect_record(*reader, i);
  }

  void expect_record(Reader& reader, std::size_t index) {
    std::string event;
    auto read = reader.event(Position(index + 1), event);
    ASSERT_TRUE(read.has_value()) << error_text(read);
    EXPECT_EQ(event, history_[index].first.event);
    expect_body(reader, index);
  }

  void expect_body(Reader& reader, std::size_t index) {
    std::string body;
    const auto& wanted = history_[index].first.body;
    auto read = reader.body(Position(index + 1), body);
    ASSERT_EQ(read.has_value(), wanted.has_value()) << error_text(read);
    if (wanted) {
      EXPECT_EQ(body, *wanted);
    } else {
      EXPECT_EQ(read.error().code, base::ErrorCode::NOT_FOUND);
    }
  }

  std::unique_ptr<Site> site_;
  std::vector<std::pair<TestRecord, std::int64_t>> history_;
};

TEST_P(JournalConformance, ANewJournalIsEmpty) {
  EXPECT_EQ(journal().head().position, Position(0));
  EXPECT_TRUE(journal().snapshots().empty());
  expect_history();
  site_->reopen();
  expect_history();
}

TEST_P(JournalConformance, WhatIsAppendedReadsBack) {
  const Ticket ticket = append({{"first", "one"}, {"second", std::nullopt}, {"third", "three"}}, 17);
  EXPECT_EQ(ticket.first, Position(1));
  EXPECT_EQ(ticket.last, Position(3));
  append({{"fourth", "four"}}, 18);
  expect_history();
  site_->reopen();
  expect_history();
  EXPECT_EQ(base::unix_us(journal().head().engine_time), 18);
}

TEST_P(JournalConformance, EmptyEventsAndEmptyBodiesAreNotNothing) {
  append({{"", ""}, {"", std::nullopt}, {"e", ""}});
  site_->reopen();
  expect_history();
}

TEST_P(JournalConformance, LargeBlocksReadBack) {
  std::vector<TestRecord> records;
  for (int i = 0; i < 300; ++i) records.push_back({"event " + std::to_string(i), std::string(i, 'b')});
  append(records);
  append({{std::string(9000, 'e'), std::string(21000, 'x')}});
  expect_history();
  site_->reopen();
  expect_history();
}

TEST_P(JournalConformance, ReadingBeginsWhereAskedAndStopsWhenTold) {
  for (int i = 0; i < 20; ++i) append({{"a" + std::to_string(i), "x"}, {"b" + std::to_string(i), "y"}});
  std::vector<std::uint64_t> seen;
  const auto visit = [&](const Entry& entry) -> base::Result<Visit> {
    seen.push_back(entry.position.value);
    return seen.size() < 3 ? Visit::next : Visit::stop;
  };
  ASSERT_TRUE(journal().reader()->read(Position(18), visit));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{18, 19, 20}));
  seen.clear();
  ASSERT_TRUE(journal().reader()->read(Position(41), visit));  // past the head: nothing
  EXPECT_TRUE(seen.empty());
}

TEST_P(JournalConformance, AnErrorOfTheVisitorEndsTheReading) {
  append({{"a", "x"}, {"b", "y"}});
  settle(journal());
  int visits = 0;
  auto read = journal().reader()->read(Position(1), [&](const Entry&) -> base::Result<Visit> {
    ++visits;
    return base::fail(base::ErrorCode::INTERNAL, "enough");
  });
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "enough");
  EXPECT_EQ(visits, 1);
}

TEST_P(JournalConformance, PositionsPastTheHeadAreNotFound) {
  append({{"a", "x"}});
  std::string bytes;
  for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{2}, UINT64_MAX}) {
    const auto reader = journal().reader();
    for (const auto& read : {reader->body(Position(position), bytes), reader->event(Position(position), bytes)}) {
      ASSERT_FALSE(read.has_value());
      EXPECT_EQ(read.error().code, base::ErrorCode::NOT_FOUND);
    }
  }
}

TEST_P(JournalConformance, OutcomesComeInPollOnce) {
  RecordedOutcomes outcomes;
  journal().poll(outcomes);
  EXPECT_TRUE(outcomes.durable.empty());
  append({{"a", "x"}, {"b", "y"}});
  append({{"c", "z"}});
  while (outcomes.durable.empty() || outcomes.durable.back() != Position(3)) journal().poll(outcomes);
  EXPECT_EQ(journal().durable_head(), Position(3));
  journal().poll(outcomes);
  // The first block may have its own outcome, where syncs are beside the caller.
  EXPECT_EQ(std::set(outcomes.durable.begin(), outcomes.durable.end()).size(), outcomes.durable.size());
  EXPECT_LE(outcomes.durable.size(), 2u);
  EXPECT_FALSE(outcomes.ended_as.has_value());
}

TEST_P(JournalConformance, ATooLargeBlockIsRefusedAndNothingHappened) {
  append({{"a", "x"}});
  const std::string huge(journal().block_bytes_max() + 1, 'h');
  auto refused = append_all(journal(), {{"b", huge}}, 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, base::ErrorCode::PAYLOAD_TOO_LARGE);
  append({{"c", "y"}});
  site_->reopen();
  expect_history();
}

TEST_P(JournalConformance, TheChainTellsHistoriesApart) {
  const base::Digest root = head().chain;
  append({{"a", "x"}}, 1);
  const base::Digest one = head().chain;
  EXPECT_NE(one, root);
  append({{"a", "x"}}, 1);
  EXPECT_NE(head().chain, one);
  const Head before = head();
  site_->reopen();
  EXPECT_EQ(head(), before);
}

TEST_P(JournalConformance, SnapshotsReadBackAndTheNewestTwoStay) {
  for (int i = 1; i <= 3; ++i) {
    append({{"event " + std::to_string(i), "x"}});
    auto writer = journal().begin_snapshot();
    ASSERT_TRUE(writer.has_value()) << error_text(writer);
    ASSERT_TRUE((*writer)->write("state of "));
    ASSERT_TRUE((*writer)->write(std::to_string(i) + std::string(300'000, '.')));
    ASSERT_TRUE((*writer)->commit());
  }
  append({{"event 4", "x"}});
  site_->reopen();
  expect_history();
  const auto snapshots = journal().snapshots();
  ASSERT_EQ(snapshots.size(), 2u);
  EXPECT_EQ(snapshots[0].at.position, Position(3));
  EXPECT_EQ(snapshots[1].at.position, Position(2));
  const auto state = contents_of(journal(), snapshots[0]);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(*state, "state of 3" + std::string(300'000, '.'));
  EXPECT_EQ(snapshots[0].bytes, state->size());
}

TEST_P(JournalConformance, ASnapshotThatIsDroppedWasNever) {
  append({{"a", "x"}});
  {
    auto writer = journal().begin_snapshot();
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE((*writer)->write("half"));
  }
  site_->reopen();
  EXPECT_TRUE(journal().snapshots().empty());
}

TEST_P(JournalConformance, ClosingChangesNothingThatIsRead) {
  append({{"a", "x"}}, 5);
  const Head before = head();
  ASSERT_TRUE(journal().close());
  site_->reopen();
  EXPECT_EQ(head(), before);
  append({{"b", "y"}}, 6);
  ASSERT_TRUE(journal().close());
  site_->reopen();
  site_->reopen();
  expect_history();
}

TEST_P(JournalConformance, RandomHistoriesReadBack) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    site_ = GetParam().make();
    history_.clear();
    std::mt19937_64 random(seed);
    for (int step = 0; step < 50; ++step) {
      if (random() % 12 == 0) site_->reopen();
      append(random_records(random), static_cast<std::int64_t>(seed * 1000 + step));
      RecordedOutcomes outcomes;
      journal().poll(outcomes);
    }
    expect_history();
    const auto reader = journal().reader();
    for (int i = 0; i < 50; ++i) expect_record(*reader, random() % history_.size());
  }
}

TEST_P(JournalConformance, AReaderFollowsTheWriterFromAnotherThread) {
  constexpr std::uint64_t blocks = 200;
  std::thread follower([reader = journal().reader()] {
    std::uint64_t seen = 0;
    std::string body;
    while (seen < blocks * 2) {
      auto read = reader->read(Position(seen + 1), [&](const Entry& entry) -> base::Result<Visit> {
        EXPECT_EQ(entry.position, Position(++seen));
        EXPECT_EQ(entry.event, "e" + std::to_string((seen + 1) / 2));
        return Visit::next;
      });
      ASSERT_TRUE(read.has_value()) << error_text(read);
      const bool readable = seen == 0 || reader->body(Position(seen), body).has_value();
      ASSERT_TRUE(readable);
      std::this_thread::yield();
    }
  });
  for (std::uint64_t i = 1; i <= blocks; ++i) {
    append({{"e" + std::to_string(i), "x"}, {"e" + std::to_string(i), std::string(100, 'y')}});
    RecordedOutcomes outcomes;
    journal().poll(outcomes);
  }
  settle(journal());
  follower.join();
}

}  // namespace parley::journal
