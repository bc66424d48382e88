// Storing beside the loop: the seam by itself, and what the journal makes of an outcome that comes late.
#include "journal/file/syncer.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/test_clock.hpp"
#include "journal/file/test_bench.hpp"
#include "sim/late_syncer.hpp"

namespace parley::journal::file {
namespace {

using sim::Call;
using sim::Effect;

constexpr std::uint64_t large = 1 << 20;

// What takes until it is let go to be synced, and then ends as it is told.
class GatedStoring final : public Storing {
 public:
  base::Result<> write() override {
    ++writes;
    return written_as;
  }
  base::Result<> sync() override {
    std::unique_lock lock(mutex_);
    synced_on = std::this_thread::get_id();
    ++syncs;
    changed_.wait(lock, [this] { return open_; });
    return ends_as;
  }
  void open_gate() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  std::thread::id synced_on;
  int writes = 0, syncs = 0;
  base::Result<> written_as, ends_as;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class BesideSyncerTest : public ::testing::Test {
 protected:
  struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    int rings = 0;
    void ring() {
      const std::scoped_lock lock(mutex);
      ++rings;
      rung.notify_all();
    }
    void wait_for(int count) {
      std::unique_lock lock(mutex);
      rung.wait(lock, [&] { return rings >= count; });
    }
  };

  bool more = true;
  Bell bell;
  base::TestClock clock;
  GatedStoring block;
  BesideSyncer syncer{{.clock = &clock, .loop_has_more = [this] { return more; }, .wake = [this] { bell.ring(); }}};
};

TEST_F(BesideSyncerTest, TheLoopGoesOnAndIsWokenForTheOutcome) {
  syncer.begin(block, large);
  EXPECT_FALSE(syncer.outcome().has_value());
  block.open_gate();
  bell.wait_for(1);
  const auto outcome = syncer.outcome();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->has_value());
  EXPECT_NE(block.synced_on, std::this_thread::get_id());
}

TEST_F(BesideSyncerTest, ALoopWithNothingElseToDoSyncsItself) {
  more = false;
  block.open_gate();
  syncer.begin(block, large);
  EXPECT_EQ(block.synced_on, std::this_thread::get_id());
  EXPECT_TRUE(syncer.outcome().value().has_value());
  EXPECT_EQ(bell.rings, 0);
}

TEST_F(BesideSyncerTest, ASmallBlockIsNotWorthTheHandOver) {
  block.open_gate();
  syncer.begin(block, 4096);
  EXPECT_EQ(block.synced_on, std::this_thread::get_id());
  EXPECT_TRUE(syncer.outcome().value().has_value());
}

// B3
TEST_F(BesideSyncerTest, B3_AFailureIsToldOnceAndNotTriedAgain) {
  block.ends_as = base::fail(base::ErrorCode::JOURNAL_FAILED, "fdatasync: Input/output error");
  block.open_gate();
  for (const bool beside : {true, false}) {
    more = beside;
    block.syncs = 0;
    syncer.begin(block, large);
    const auto outcome = syncer.wait();
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().message, "fdatasync: Input/output error");
    EXPECT_EQ(block.syncs, 1);
  }
}

TEST_F(BesideSyncerTest, WhatCouldNotBeWrittenIsNotSynced) {
  block.written_as = base::fail(base::ErrorCode::JOURNAL_FAILED, "pwritev: Input/output error");
  block.open_gate();
  for (const bool beside : {true, false}) {
    more = beside;
    syncer.begin(block, large);
    EXPECT_FALSE(syncer.wait().has_value());
  }
  EXPECT_EQ(block.writes, 2);
  EXPECT_EQ(block.syncs, 0);
}

TEST_F(BesideSyncerTest, ASyncThatLastsLongIsWaitedFor) {
  syncer.begin(block, large);
  clock.passed += std::chrono::milliseconds(99);
  EXPECT_FALSE(syncer.outcome().has_value());
  clock.passed += std::chrono::milliseconds(1);
  std::thread disk([this] { block.open_gate(); });
  EXPECT_TRUE(syncer.outcome().has_value());
  EXPECT_EQ(syncer.last_took(), std::chrono::milliseconds(100));
  disk.join();
}

TEST_F(BesideSyncerTest, OneSyncAfterTheOther) {
  block.open_gate();
  for (int i = 1; i <= 1'000; ++i) {
    syncer.begin(block, large);
    ASSERT_TRUE(syncer.wait().has_value());
    ASSERT_EQ(block.syncs, i);
  }
}

// A journal whose every sync is late, until it is looked at often enough.
struct LateBench : Bench {
  std::optional<sim::LateSyncer> syncer;

  ~LateBench() { journal.reset(); }  // it waits for a sync under way

  base::Result<> open() {
    syncer.emplace(sim::Dice(7), 1, false);
    Options made = options();
    made.syncer = &*syncer;
    auto opened = file::open(std::move(made));
    if (!opened) return std::unexpected(std::move(opened).error());
    journal = std::move(opened->journal);
    syncer->started();
    return {};
  }
  // Appends until a sync is late.
  void append_late() {
    do ASSERT_TRUE(append_numbered(*journal));
    while (!syncer->unsynced());
  }
  void kill() {
    syncer->die();
    Bench::kill();
  }
};

TEST(LateSync, WhatIsUnderWayIsNotDurable) {
  LateBench bench;
  ASSERT_TRUE(bench.open());
  bench.append_late();
  const Position head = bench.journal->head().position;
  EXPECT_EQ(bench.journal->durable_head(), Position(head.value - 1));
  RecordedOutcomes outcomes;
  while (bench.journal->durable_head() < head) {
    EXPECT_TRUE(outcomes.durable.empty() || outcomes.durable.back() < head);
    bench.journal->poll(outcomes);
  }
  EXPECT_EQ(outcomes.durable.back(), head);
}

// A5: also here one write and one sync a block; the next block waits for the sync before it.
TEST(LateSync, A5_OneSyncIsUnderWayAtATime) {
  LateBench bench;
  ASSERT_TRUE(bench.open());
  const std::uint64_t writes = bench.files->calls(Call::write);
  const std::uint64_t syncs = bench.files->calls(Call::sync);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(append_numbered(*bench.journal));
    EXPECT_GE(bench.files->calls(Call::write), writes + i - 1);
    EXPECT_LE(bench.files->calls(Call::write), writes + i);
    EXPECT_GE(bench.files->calls(Call::sync), syncs + i - 1);
    EXPECT_GE(bench.journal->durable_head(), Position(i - 1));
  }
}

TEST(LateSync, ASnapshotWaitsForIt) {
  LateBench bench;
  ASSERT_TRUE(bench.open());
  bench.append_late();
  ASSERT_TRUE(bench.journal->begin_snapshot());
  EXPECT_EQ(bench.journal->durable_head(), bench.journal->head().position);
}

TEST(LateSync, AnOrderlyEndWaitsForIt) {
  LateBench bench;
  ASSERT_TRUE(bench.open());
  bench.append_late();
  const std::uint64_t syncs = bench.files->calls(Call::sync);
  ASSERT_TRUE(bench.journal->close());
  EXPECT_EQ(bench.files->calls(Call::sync), syncs + 2);  // the block's, and that of the mark
}

// B3: whoever meets the failure first; nothing of the block is durable, and the disk is not asked again.
TEST(LateSync, B3_ALateFailureIsTheEnd) {
  enum class Met { poll, append, snapshot, close };
  for (const Met met : {Met::poll, Met::append, Met::snapshot, Met::close}) {
    LateBench bench;
    ASSERT_TRUE(bench.open());
    bench.append_late();
    const Position durable = bench.journal->durable_head();
    bench.files->add_fault({Call::sync, 1, Effect::io_error});
    RecordedOutcomes outcomes;
    if (met == Met::append) {
      EXPECT_FALSE(append_numbered(*bench.journal).has_value());
    }
    if (met == Met::snapshot) {
      EXPECT_FALSE(bench.journal->begin_snapshot().has_value());
    }
    if (met == Met::close) {
      EXPECT_FALSE(bench.journal->close().has_value());
    }
    while (!outcomes.ended_as) bench.journal->poll(outcomes);
    EXPECT_EQ(outcomes.ended_as, Outcome::failed);
    EXPECT_EQ(bench.journal->durable_head(), durable);

    const std::uint64_t calls = bench.files->changing_calls();
    bench.journal->tick();
    bench.journal->poll(outcomes);
    EXPECT_FALSE(bench.journal->begin_snapshot().has_value());
    EXPECT_EQ(bench.files->changing_calls(), calls) << "the disk was asked again";
    bench.kill();
    ASSERT_TRUE(bench.open());
    EXPECT_GE(bench.journal->head().position, durable);
  }
}

// A4: the power goes while syncs are under way; what was durable is there.
TEST(LateSync, A4_PowerLossDuringASyncLosesNothingDurable) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LateBench bench;
    ASSERT_TRUE(bench.open());
    RecordedOutcomes outcomes;
    for (std::uint64_t i = 0; i < seed; ++i) {
      ASSERT_TRUE(append_numbered(*bench.journal));
      if (i % 3 == 0) bench.journal->poll(outcomes);
    }
    bench.append_late();
    const Position durable = bench.journal->durable_head();
    bench.syncer->die();
    bench.restart_on(bench.files->after_power_loss(seed));
    ASSERT_TRUE(bench.open());
    EXPECT_GE(bench.journal->head().position, durable);
    EXPECT_FALSE(Contents::of(*bench.journal).error.has_value());
  }
}

}  // namespace
}  // namespace parley::journal::file
