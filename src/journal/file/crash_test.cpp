// What a crash leaves: reliability A4 (power loss), A6 (torn tails), A7 (crashes in the middle of every call).
#include <algorithm>

#include "journal/file/test_bench.hpp"

namespace parley::journal::file {
namespace {

// One run of a journal that ends when the power goes, and what it promised until then.
struct Trial {
  Bench bench;
  std::uint64_t acked = 0;      // the highest position that was durable
  std::uint64_t attempted = 0;  // the highest that was handed to append

  Trial() { bench.segment_bytes = 16 << 10; }

  void note() {
    if (bench.journal) acked = std::max(acked, bench.journal->durable_head().value);
  }
  bool start() {
    const bool opened = bench.open().has_value();
    note();
    return opened;
  }
  bool append(std::uint64_t count, std::size_t body_bytes) {
    attempted = std::max(attempted, bench.journal->head().position.value + count);
    const bool done = append_numbered(*bench.journal, count, body_bytes).has_value();
    if (done) note();
    RecordedOutcomes outcomes;
    bench.journal->poll(outcomes);
    return done;
  }
  bool snapshot() {
    auto writer = bench.journal->begin_snapshot();
    if (!writer) return false;
    const std::string state = "state at " + std::to_string(bench.journal->head().position.value);
    return (*writer)->write(state) && (*writer)->write(std::string(3000, 's')) && (*writer)->commit();
  }
  bool restart() {
    const bool closed = bench.journal->close().has_value();
    bench.journal.reset();
    return closed && start();
  }
};

// Appends, snapshots and restarts at random until a call fails.
void work_until_it_fails(Trial& run, std::mt19937_64& random) {
  bool going = run.start();
  for (int step = 0; going && step < 400; ++step) {
    switch (random() % 16) {
      case 0:
        going = run.snapshot();
        break;
      case 1:
        going = run.restart();
        break;
      case 2:
        run.bench.journal->tick();
        break;
      default:
        going = run.append(1 + random() % 4, random() % 8 == 0 ? 3000 : random() % 600);
    }
  }
}

// The same each time: opening, rolls through four segments, two restarts, three snapshots.
void scripted_work(Trial& run) {
  bool going = run.start();
  for (int step = 0; going && step < 24; ++step) {
    going = run.append(1 + step % 3, 900);
    if (going && step % 8 == 3) going = run.snapshot();
    if (going && step % 10 == 7) going = run.restart();
  }
}

std::string events_of(const Contents& contents, std::uint64_t head) {
  for (std::uint64_t i = 1; i <= head; ++i) {
    if (contents.events[i - 1] != "event " + std::to_string(i)) return "event " + std::to_string(i) + " is another";
    if (!contents.bodies[i - 1].starts_with("body " + std::to_string(i))) return "body " + std::to_string(i);
  }
  return {};
}

// Opens what is left. What was acked is there, as it was written; nothing is there that was never appended; the
// journal goes on from there. Says what is wrong, or nothing.
std::string judge(std::unique_ptr<sim::FaultyFiles> left, const Trial& run) {
  Bench bench;
  bench.segment_bytes = run.bench.segment_bytes;
  bench.files = std::move(left);
  for (int round = 0; round < 2; ++round) {
    if (auto opened = bench.open(); !opened) return "does not open: " + error_text(opened);
    if (!bench.recovered.refused_snapshots.empty()) return "refused a snapshot";
    const std::uint64_t head = bench.journal->head().position.value;
    if (head < run.acked) return "lost " + std::to_string(run.acked - head) + " acked records";
    if (round == 0 && head > run.attempted) return "invented records";
    if (bench.recovered.cut && round == 0 && bench.recovered.cut->after.value < run.acked) return "cut acked records";
    const Contents contents = Contents::of(*bench.journal);
    if (contents.error) return "does not read: " + contents.error->message;
    if (contents.events.size() != head) return "reads another number of records";
    if (std::string wrong = events_of(contents, head); !wrong.empty()) return wrong;
    for (int i = 0; i < 12; ++i) {
      if (auto done = append_numbered(*bench.journal, 2, 700); !done) return "does not go on: " + error_text(done);
    }
    bench.kill();
  }
  auto report = verify(*bench.files, "data");
  if (!report) return "cannot be verified: " + error_text(report);
  if (!report->intact()) return "verification: " + report->first_bad->where + ": " + report->first_bad->message;
  return {};
}

struct PowerLosses {
  int images = 0;
  int wrong = 0;
  int cuts = 0;
  std::string first_wrong;
};

PowerLosses lose_power(std::uint64_t seeds, Options::Unsafe unsafe) {
  PowerLosses result;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 random(seed);
    Trial run;
    run.bench.unsafe = unsafe;
    run.bench.files->add_fault({std::nullopt, 1 + random() % 260, sim::Effect::power_off});
    work_until_it_fails(run, random);
    for (std::uint64_t image = 0; image < 5; ++image) {
      const std::string wrong = judge(run.bench.files->after_power_loss(seed * 100 + image), run);
      ++result.images;
      if (wrong.empty()) continue;
      if (result.wrong++ == 0) {
        result.first_wrong = "seed " + std::to_string(seed) + " image " + std::to_string(image) + ": " + wrong;
      }
    }
  }
  return result;
}

// A4: 300 images; what was acked survives any power loss.
TEST(JournalCrash, A4_PowerLossKeepsWhatWasAcked) {
  const PowerLosses result = lose_power(60, {});
  EXPECT_EQ(result.images, 300);
  EXPECT_EQ(result.wrong, 0) << result.first_wrong;
}

// The test above can fail: without fdatasync it does.
TEST(JournalCrash, A4_WithoutSyncsTheOracleTurnsRed) {
  EXPECT_GT(lose_power(20, {.skip_sync = true}).wrong, 0);
}

// A4: a power loss while recovering from a power loss.
TEST(JournalCrash, A4_PowerLossDuringRecoveryKeepsWhatWasAcked) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    Trial run;
    run.bench.files->add_fault({std::nullopt, 20 + random() % 200, sim::Effect::power_off});
    work_until_it_fails(run, random);
    for (std::uint64_t k = 1; k <= 8; ++k) {
      Bench again;
      again.segment_bytes = run.bench.segment_bytes;
      again.files = run.bench.files->after_power_loss(seed);
      again.files->add_fault({std::nullopt, k, sim::Effect::power_off});
      (void)again.open();
      EXPECT_EQ(judge(again.files->after_power_loss(seed + k), run), "") << "seed " << seed << ", call " << k;
      EXPECT_EQ(judge(again.files->after_kill(), run), "") << "seed " << seed << ", call " << k;
    }
  }
}

// A7 (and A2's shape): a crash in each call of opening, appending, rolling, snapshotting and restarting.
TEST(JournalCrash, A7_ACrashInAnyCallLeavesOldOrNew) {
  Trial whole;
  scripted_work(whole);
  const std::uint64_t calls = whole.bench.files->changing_calls();
  ASSERT_GT(calls, 80u);
  ASSERT_GE(whole.bench.recovered.segments, 3u);
  for (std::uint64_t k = 1; k <= calls; ++k) {
    Trial run;
    run.bench.files->add_fault({std::nullopt, k, sim::Effect::power_off});
    scripted_work(run);
    ASSERT_FALSE(run.bench.files->powered());
    EXPECT_EQ(judge(run.bench.files->after_kill(), run), "") << "killed in call " << k;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      EXPECT_EQ(judge(run.bench.files->after_power_loss(seed), run), "") << "power lost in call " << k;
    }
  }
}

// A7: recovery is idempotent: a second one finds the first one's head and cuts nothing.
TEST(JournalCrash, A7_RecoveringTwiceIsRecoveringOnce) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    Trial run;
    run.bench.files->add_fault({std::nullopt, 30 + random() % 150, sim::Effect::power_off});
    work_until_it_fails(run, random);
    Bench bench;
    bench.segment_bytes = run.bench.segment_bytes;
    bench.files = run.bench.files->after_power_loss(seed);
    ASSERT_TRUE(bench.open());
    const Head head = bench.recovered.head;
    bench.kill();
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.recovered.head, head);
    EXPECT_FALSE(bench.recovered.cut.has_value());
  }
}

// A journal of eight blocks, its segment's bytes, and where each block ends.
struct Written {
  Bench bench;
  std::vector<std::uint64_t> ends;  // ends[i]: byte after the block of position i; ends[0] is the first block's place

  explicit Written(std::uint64_t blocks = 8) {
    PARLEY_ASSERT(bench.open().has_value());
    ends.push_back(4096);
    for (std::uint64_t i = 1; i <= blocks; ++i) {
      PARLEY_ASSERT(append_numbered(*bench.journal, 1, 100).has_value());
      const std::string& bytes = bench.files->contents(Bench::segment(1));
      ends.push_back((bytes.find_last_not_of('\0') / 8 + 1) * 8);
    }
    bench.journal.reset();
  }

  const std::string& bytes() const { return bench.files->contents(Bench::segment(1)); }
  std::uint64_t whole_before(std::uint64_t byte) const {
    return static_cast<std::uint64_t>(std::upper_bound(ends.begin(), ends.end(), byte) - ends.begin()) - 1;
  }
};

// A6: cut at each byte of the last three records. Blocks that no later block calls synced may be torn: that is the
// last one. The others were synced, and later bytes that are gone leave no word of it: they are kept while whole.
TEST(JournalCrash, A6_ATailCutAtAnyByteKeepsEveryWholeRecord) {
  const Written written;
  for (std::uint64_t size = written.ends[5]; size < written.ends[8]; ++size) {
    Bench bench;
    bench.files = written.bench.files->after_kill();
    bench.files->set_contents(Bench::segment(1), written.bytes().substr(0, size));
    auto opened = bench.open();
    ASSERT_TRUE(opened.has_value()) << "cut at " << size << ": " << error_text(opened);
    const std::uint64_t whole = written.whole_before(size);
    EXPECT_EQ(bench.journal->head().position.value, whole) << "cut at " << size;
    // A cut between two blocks, or within a block's zeros, leaves nothing to be cut away.
    const bool remainder = written.bytes().substr(0, size).find_last_not_of('\0') >= written.ends[whole];
    EXPECT_EQ(bench.recovered.cut.has_value(), remainder) << "cut at " << size;
    EXPECT_TRUE(append_numbered(*bench.journal));
    EXPECT_FALSE(Contents::of(*bench.journal).error.has_value());
  }
}

// A6: the same with zeros in the place of what is missing, as ready space has them.
TEST(JournalCrash, A6_ATailZeroedFromAnyByteKeepsEveryWholeRecord) {
  const Written written;
  for (std::uint64_t from = written.ends[5] + 1; from < written.ends[8]; ++from) {
    Bench bench;
    bench.files = written.bench.files->after_kill();
    std::string bytes = written.bytes();
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), '\0');
    const auto changed = std::mismatch(bytes.begin(), bytes.end(), written.bytes().begin()).first - bytes.begin();
    bench.files->set_contents(Bench::segment(1), std::move(bytes));
    ASSERT_TRUE(bench.open());
    const std::uint64_t whole = std::min<std::uint64_t>(8, written.whole_before(static_cast<std::uint64_t>(changed)));
    EXPECT_EQ(bench.journal->head().position.value, whole) << "zeros from " << from;
  }
}

// A6: garbage or zeros behind the last record, in the segment and behind its end.
TEST(JournalCrash, A6_GarbageBehindTheLastRecordIsCut) {
  const Written written;
  std::mt19937_64 random(6);
  for (const std::size_t length : {1, 7, 8, 39, 40, 511, 4096, 20'000, 1 << 20}) {
    for (const bool zeros : {false, true}) {
      Bench bench;
      bench.files = written.bench.files->after_kill();
      std::string bytes = written.bytes();
      std::string garbage(length, '\0');
      for (char& byte : garbage) byte = zeros ? '\0' : static_cast<char>(1 + random() % 255);
      const std::uint64_t end = written.ends[8];
      if (bytes.size() < end + length) bytes.resize(end + length);
      bytes.replace(end, length, garbage);
      bench.files->set_contents(Bench::segment(1), std::move(bytes));
      auto opened = bench.open();
      ASSERT_TRUE(opened.has_value()) << error_text(opened);
      EXPECT_EQ(bench.journal->head().position.value, 8u);
      const bool reported = !zeros || length > bench.segment_bytes;
      ASSERT_EQ(bench.recovered.cut.has_value(), reported) << length << (zeros ? " zeros" : " bytes of garbage");
      if (reported) {
        EXPECT_EQ(bench.recovered.cut->byte, end);
      }
      EXPECT_TRUE(append_numbered(*bench.journal));
      bench.kill();
      ASSERT_TRUE(bench.open());  // and it never comes back
      EXPECT_EQ(bench.journal->head().position.value, 9u);
      EXPECT_FALSE(bench.recovered.cut.has_value());
    }
  }
}

// A6: a copy of an older block, or of one from another segment, is no continuation.
TEST(JournalCrash, A6_StaleBlocksBehindTheTailAreNotTaken) {
  const Written written;
  for (std::uint64_t copied = 1; copied <= 8; ++copied) {
    Bench bench;
    bench.files = written.bench.files->after_kill();
    std::string bytes = written.bytes();
    const std::string block = bytes.substr(written.ends[copied - 1], written.ends[copied] - written.ends[copied - 1]);
    bytes.replace(written.ends[8], block.size(), block);
    bench.files->set_contents(Bench::segment(1), std::move(bytes));
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.journal->head().position.value, 8u);
    EXPECT_TRUE(bench.recovered.cut.has_value());
  }
}

// After a failed sync the page cache shows what the disk lacks; a restart must not build on it unwritten.
TEST(JournalCrash, B3_WhatAFailedSyncLeftInThePageCacheIsWrittenAgain) {
  Trial whole;
  scripted_work(whole);
  const std::uint64_t syncs = whole.bench.files->calls(sim::Call::sync);
  for (std::uint64_t k = 1; k <= syncs; ++k) {
    Trial run;
    run.bench.files->add_fault({sim::Call::sync, k, sim::Effect::io_error});
    scripted_work(run);
    Bench restarted;
    restarted.segment_bytes = run.bench.segment_bytes;
    restarted.files = run.bench.files->after_kill();
    auto opened = restarted.open();
    ASSERT_TRUE(opened.has_value()) << "sync " << k << ": " << error_text(opened);
    run.acked = restarted.journal->durable_head().value;  // from now on promised
    run.attempted = std::max(run.attempted, run.acked);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      EXPECT_EQ(judge(restarted.files->after_power_loss(seed), run), "") << "sync " << k << ", seed " << seed;
    }
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(append_numbered(*restarted.journal, 1, 900));
      run.acked = run.attempted = restarted.journal->durable_head().value;
      EXPECT_EQ(judge(restarted.files->after_power_loss(k), run), "") << "sync " << k << ", block " << i;
    }
  }
}

}  // namespace
}  // namespace parley::journal::file
