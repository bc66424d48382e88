// What failing calls do: reliability B3 (EIO), B4 (ENOSPC), B7 (the lock), and how often the disk is asked (A5's
// shape).
#include "journal/file/test_bench.hpp"

namespace parley::journal::file {
namespace {

using sim::Call;
using sim::Effect;

std::uint64_t appended(const Bench& bench) {
  return bench.journal->head().position.value;
}

// There is room again; what is appended now is there after a kill.
void expect_going_on(Bench& bench) {
  EXPECT_EQ(bench.journal->room_for(1000), Room::enough);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(append_numbered(*bench.journal, 1, 500));
  const std::uint64_t acked = appended(bench);
  bench.kill();
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(appended(bench), acked);
}

// B3: whichever sync, its beginning or write of an append fails: no ack, failed for good, and no second try.
TEST(JournalFailure, B3_AFailedSyncOrWriteIsTheEnd) {
  for (const Call call : {Call::sync, Call::begin_sync, Call::write}) {
    for (const Effect effect : {Effect::io_error, Effect::no_space, Effect::short_write}) {
      for (std::uint64_t k = 1; k <= 6; ++k) {
        Bench bench;
        ASSERT_TRUE(bench.open());
        bench.files->add_fault({call, k, effect});
        for (std::uint64_t i = 1; i < k; ++i) ASSERT_TRUE(append_numbered(*bench.journal));
        auto failed = append_numbered(*bench.journal);
        ASSERT_FALSE(failed.has_value());
        EXPECT_EQ(failed.error().code, base::ErrorCode::JOURNAL_FAILED);
        EXPECT_EQ(bench.journal->durable_head().value, k - 1);

        const std::uint64_t calls = bench.files->changing_calls();
        EXPECT_FALSE(append_numbered(*bench.journal).has_value());
        EXPECT_FALSE(bench.journal->begin_snapshot().has_value());
        bench.journal->tick();
        RecordedOutcomes outcomes;
        bench.journal->poll(outcomes);
        bench.journal->poll(outcomes);
        EXPECT_EQ(outcomes.ended_as, Outcome::failed);
        EXPECT_EQ(bench.journal->room_for(1 << 20), Room::full);
        EXPECT_TRUE(bench.journal->close());
        EXPECT_EQ(bench.files->changing_calls(), calls) << "the disk was asked again";

        bench.kill();
        ASSERT_TRUE(bench.open());
        EXPECT_GE(appended(bench), k - 1);
        EXPECT_TRUE(append_numbered(*bench.journal));
      }
    }
  }
}

// B3: also while a segment rolls or the next one is made ready.
TEST(JournalFailure, B3_AFailureWhileRollingIsTheEnd) {
  std::uint64_t ended = 0;
  for (std::uint64_t k = 1; k <= 60; ++k) {
    Bench bench;
    bench.segment_bytes = 16 << 10;
    ASSERT_TRUE(bench.open());
    bench.files->add_fault({std::nullopt, k, Effect::io_error});
    std::uint64_t acked = 0;
    while (acked < 40 && append_numbered(*bench.journal, 1, 900)) acked = appended(bench);
    RecordedOutcomes outcomes;
    bench.journal->poll(outcomes);
    ended += outcomes.ended_as == Outcome::failed ? 1 : 0;
    bench.kill();
    auto opened = bench.open();
    ASSERT_TRUE(opened.has_value()) << "call " << k << ": " << error_text(opened);
    EXPECT_GE(appended(bench), acked);
  }
  EXPECT_EQ(ended, 60u);
}

// B3: EIO on read is told, not passed off as the tail.
TEST(JournalFailure, B3_AFailedReadCutsNothing) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(append_numbered(*bench.journal));
  bench.kill();
  const auto before = bench.files->contents(Bench::segment(1));
  for (std::uint64_t k = 1; k <= 6; ++k) {
    bench.files->add_fault({Call::read, k, Effect::io_error});
    auto opened = bench.open();
    ASSERT_FALSE(opened.has_value()) << k;
    EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_FAILED);
    EXPECT_EQ(bench.files->contents(Bench::segment(1)), before);
    bench.kill();
  }
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(appended(bench), 20u);
}

// B4: a full disk is foreseen; the reserve still takes what must be written; space that returns is used, unasked.
TEST(JournalFailure, B4_AFullDiskIsForeseenAndHeals) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  bench.files->set_capacity(0);
  std::uint64_t sends = 0;
  for (; bench.journal->room_for(1000) == Room::enough; ++sends) {
    ASSERT_TRUE(append_numbered(*bench.journal, 1, 500));
    RecordedOutcomes outcomes;
    bench.journal->poll(outcomes);
    ASSERT_FALSE(outcomes.ended_as.has_value());
  }
  EXPECT_GT(sends, 60u);
  EXPECT_EQ(bench.journal->room_for(1000), Room::full);

  std::uint64_t reserve = 0;  // acks and the like
  for (; reserve < (48 << 10); reserve += 600) ASSERT_TRUE(append_numbered(*bench.journal, 1, 400));
  auto snapshot = bench.journal->begin_snapshot();
  EXPECT_FALSE(snapshot && (*snapshot)->write(std::string(300'000, 's')) && (*snapshot)->commit());

  bench.journal->tick();
  EXPECT_EQ(bench.journal->room_for(1000), Room::full);
  bench.files->set_capacity(UINT64_MAX);
  bench.journal->tick();
  expect_going_on(bench);
}

// B4: with the reserve used up as well, an append is refused, not failed.
TEST(JournalFailure, B4_WithoutAnySpaceAppendsAreRefused) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  bench.files->set_capacity(0);
  base::Result<Ticket> last;
  do last = append_numbered(*bench.journal, 1, 5000);
  while (last);
  EXPECT_EQ(last.error().code, base::ErrorCode::STORAGE_FULL);
  const std::uint64_t acked = appended(bench);
  bench.kill();
  bench.files->set_capacity(0);
  ASSERT_TRUE(bench.open());  // a full disk does not keep the server from starting and reading
  EXPECT_EQ(appended(bench), acked);
  EXPECT_FALSE(Contents::of(*bench.journal).error.has_value());
  EXPECT_EQ(bench.journal->room_for(5000), Room::full);
  bench.files->set_capacity(UINT64_MAX);
  bench.journal->tick();
  EXPECT_TRUE(append_numbered(*bench.journal, 1, 5000));
}

// B4: an append in ready space cannot meet a full disk: it asks for none.
TEST(JournalFailure, B4_AppendsInReadySpaceNeedNoMore) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  const std::uint64_t allocations = bench.files->calls(Call::allocate);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(append_numbered(*bench.journal));
  EXPECT_EQ(bench.files->calls(Call::allocate), allocations);
}

// B5: that no segment can be opened, nor its folder, is no failure: nothing was written. It heals, unasked.
TEST(JournalFailure, B5_WithoutDescriptorsTheNextSegmentWaits) {
  for (const Call call : {Call::open, Call::sync_folder}) {
    Bench bench;
    ASSERT_TRUE(bench.open());
    for (int i = 0; i < 10; ++i) bench.files->add_fault({call, 1, Effect::no_descriptors});
    RecordedOutcomes outcomes;
    while (bench.journal->room_for(1000) == Room::enough) {
      ASSERT_TRUE(append_numbered(*bench.journal, 1, 500));
      bench.journal->poll(outcomes);
    }
    EXPECT_EQ(bench.journal->room_for(1000), Room::later);
    ASSERT_TRUE(append_numbered(*bench.journal, 1, 400));  // acks and the like
    bench.journal->tick();
    bench.journal->poll(outcomes);
    EXPECT_EQ(bench.journal->room_for(1000), Room::later);
    EXPECT_FALSE(outcomes.ended_as.has_value());

    bench.files->clear_faults();
    bench.journal->tick();
    expect_going_on(bench);
  }
}

// B7
TEST(JournalFailure, B7_ASecondOpenerIsRefusedAndAKilledOneLeavesNoLock) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  auto second = file::open(bench.options());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, base::ErrorCode::JOURNAL_LOCKED);
  bench.kill();
  EXPECT_TRUE(bench.open());
}

// B7: a lock that can be deleted under the server is not the only one.
TEST(JournalFailure, B7_ASecondOpenerIsRefusedThoughTheLockFileWasDeleted) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  bench.files->drop_lock(bench.options().folder + "/" + std::string(lock_name));
  auto second = file::open(bench.options());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, base::ErrorCode::JOURNAL_LOCKED);
  bench.kill();
  EXPECT_TRUE(bench.open());
}

// A5: one write and one sync a block; folders are synced once for each file made or renamed, and never by an append.
TEST(JournalFailure, A5_EachBlockIsOneWriteAndOneSync) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  const std::uint64_t writes = bench.files->calls(Call::write);
  const std::uint64_t syncs = bench.files->calls(Call::sync);
  const std::uint64_t folders = bench.files->calls(Call::sync_folder);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(append_numbered(*bench.journal, 5));
  EXPECT_EQ(bench.files->calls(Call::write), writes + 20);
  EXPECT_EQ(bench.files->calls(Call::sync), syncs + 20);
  EXPECT_EQ(bench.files->calls(Call::sync_folder), folders);

  const std::uint64_t made = bench.files->calls(Call::open);
  while (bench.files->calls(Call::open) < made + 3) {
    ASSERT_TRUE(append_numbered(*bench.journal, 5, 900));
    RecordedOutcomes outcomes;
    bench.journal->poll(outcomes);
  }
  EXPECT_EQ(bench.files->calls(Call::sync_folder), folders + 3);
}

}  // namespace
}  // namespace parley::journal::file
