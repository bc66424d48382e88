// When a snapshot is made: by what is in the journal, in whatever lives of the process it came (A1: the next start).
#include "app/snapshots.hpp"

#include <gtest/gtest.h>

#include "broker/replay.hpp"
#include "event/events.pb.h"
#include "journal/memory/memory_journal.hpp"

namespace parley::app {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Lives : public testing::Test {
 protected:
  void append(int events) {
    for (int i = 0; i < events; ++i) {
      event::Event event;
      event.mutable_server_started();
      const std::string bytes = event.SerializeAsString();
      const journal::Record record{bytes, {}, {}, false};
      ASSERT_TRUE(journal_->append({&record, 1}, base::instant_of(1)));
    }
  }
  // A process that begins at `from`, and ends when what it began is there.
  void live(base::Position from, int events) {
    Snapshots snapshots(*journal_, [](std::string_view) { return nullptr; }, *log_, from, {}, {.events = 100});
    append(events);
    snapshots.consider(minutes(1));
    snapshots.wait();
  }

  base::SystemClock clock_;
  std::unique_ptr<journal::Journal> journal_ = journal::memory::open();
  std::unique_ptr<observe::Log> log_ = observe::Log::to_stderr(clock_, observe::Level::error);
};

TEST_F(Lives, A_snapshot_comes_however_short_the_lives_are) {
  live({}, 40);
  live({}, 40);
  EXPECT_TRUE(journal_->snapshots().empty());
  live({}, 40);
  ASSERT_EQ(journal_->snapshots().size(), 1u);
  const base::Position first = journal_->snapshots().front().at.position;
  EXPECT_EQ(first, journal_->head().position);
  live(first, 60);
  EXPECT_EQ(journal_->snapshots().size(), 1u);
  live(first, 60);
  EXPECT_EQ(journal_->snapshots().size(), 2u);
}

TEST_F(Lives, Under_load_one_waits_for_its_minute_up_to_a_bound) {
  Snapshots snapshots(*journal_, [](std::string_view) { return nullptr; }, *log_, {}, seconds(5),
                      {.events = 100, .events_at_most = 300});
  const auto begins = [&](int events, base::Duration now) {
    append(events);
    return snapshots.consider(now);
  };
  EXPECT_FALSE(begins(100, seconds(6)));
  EXPECT_FALSE(begins(100, seconds(64)));
  EXPECT_TRUE(begins(0, seconds(65)));
  snapshots.wait();
  EXPECT_EQ(journal_->snapshots().size(), 1u);
  EXPECT_FALSE(begins(299, seconds(66)));
  EXPECT_TRUE(begins(1, seconds(66)));
}

TEST_F(Lives, An_orderly_stop_writes_one_where_the_next_start_gains) {
  engine::Engine engine([](std::string_view) { return nullptr; });
  Snapshots snapshots(*journal_, [](std::string_view) { return nullptr; }, *log_, {}, {}, {.events_at_stop = 50});
  append(49);
  snapshots.finish(engine, [] { return false; });
  EXPECT_TRUE(journal_->snapshots().empty());
  append(1);
  snapshots.finish(engine, [] { return true; });  // no time left
  EXPECT_TRUE(journal_->snapshots().empty());
  snapshots.finish(engine, [] { return false; });
  ASSERT_EQ(journal_->snapshots().size(), 1u);
  EXPECT_EQ(journal_->snapshots().front().at.position, journal_->head().position);
}

// An orderly stop waits for the thread: neither a snapshot nor the journal is read to its end then.
TEST_F(Lives, What_is_given_up_is_no_snapshot_and_none_is_refused) {
  live({}, 120);
  ASSERT_EQ(journal_->snapshots().size(), 1u);
  const std::atomic<bool> give_up = true;
  engine::Engine engine([](std::string_view) { return nullptr; });
  const broker::LoadedSnapshot loaded = broker::load_snapshot(*journal_, journal_->snapshots(), engine, &give_up);
  EXPECT_EQ(loaded.at, base::Position());
  EXPECT_TRUE(loaded.refused.empty());

  Snapshots snapshots(*journal_, [](std::string_view) { return nullptr; }, *log_, {}, {}, {.events = 100});
  EXPECT_TRUE(snapshots.consider(minutes(1)));
  snapshots.give_up();
}

}  // namespace
}  // namespace parley::app
