// What damage to synced bytes does: reliability B1 (flipped bits), B2 (moved, copied, zeroed, missing pieces), O6.
#include <algorithm>

#include "journal/file/format.hpp"
#include "journal/file/snapshot_file.hpp"
#include "journal/file/test_bench.hpp"

namespace parley::journal::file {
namespace {

constexpr std::uint64_t records = 16;
constexpr std::uint64_t snapshot_at = 8;
constexpr std::string_view state = "the state";

// Three segments of history, a snapshot in the second, closed in good order: all of it is known to be synced.
Bench written(bool closed = true) {
  Bench bench;
  bench.segment_bytes = 8 << 10;
  PARLEY_ASSERT(bench.open().has_value());
  while (bench.journal->head().position.value < records) {
    PARLEY_ASSERT(append_numbered(*bench.journal, 2, 500).has_value());
    if (bench.journal->head().position.value != snapshot_at) continue;
    auto writer = bench.journal->begin_snapshot();
    PARLEY_ASSERT(writer.has_value() && (*writer)->write(state) && (*writer)->commit());
  }
  if (closed) PARLEY_ASSERT(bench.journal->close().has_value());
  bench.kill();
  return bench;
}

const std::string snapshot_path = "data/snapshot-00000000000000000008";

struct Judgement {
  bool detected = false;       // somebody was told: opening, reading, or verification
  bool wrong_payload = false;  // bytes were handed out that were never appended
  bool opens = false;
  bool lost = false;  // fewer records than were synced, and nobody was told
};

bool as_written(const Contents& contents) {
  for (std::size_t i = 0; i < contents.events.size(); ++i) {
    const TestRecord wanted = numbered(i + 1, 500);
    if (contents.events[i] != wanted.event) return false;
    if (contents.bodies[i] != *wanted.body && contents.bodies[i] != "(unreadable)") return false;
  }
  return true;
}

// What a server that starts on these files would do, and what `parley verify` says.
Judgement judge(Bench& bench) {
  Judgement judgement;
  auto report = verify(*bench.files, "data");
  judgement.detected = report.has_value() && !report->intact();
  if (auto opened = bench.open(); !opened) {
    judgement.detected = judgement.detected || opened.error().code == base::ErrorCode::JOURNAL_DAMAGED;
    return judgement;
  }
  judgement.opens = true;
  if (bench.recovered.cut || !bench.recovered.refused_snapshots.empty()) judgement.detected = true;
  const Contents contents = Contents::of(*bench.journal);
  judgement.detected = judgement.detected || contents.error.has_value();
  judgement.wrong_payload = !as_written(contents);
  judgement.lost = !contents.error && contents.events.size() < records;
  for (const SnapshotInfo& snapshot : bench.journal->snapshots()) {
    const auto read = contents_of(*bench.journal, snapshot);
    judgement.detected = judgement.detected || !read;
    judgement.wrong_payload = judgement.wrong_payload || (read && *read != state);
  }
  bench.journal.reset();
  return judgement;
}

Bench with(const Bench& original, const std::string& path, std::string contents) {
  Bench bench;
  bench.segment_bytes = original.segment_bytes;
  bench.files = original.files->after_kill();
  bench.files->set_contents(path, std::move(contents));
  return bench;
}

// Bytes whose change can mean nothing: the space behind the last block (and index), and between header, seal and the
// first block; and the mark, which only repeats what is so. A flip there may be noticed, and may not.
bool is_slack(const Bench& original, const std::string& path, std::size_t at) {
  if (!path.ends_with(".segment")) return path.ends_with(lock_name) || path.ends_with(id_name);
  const std::string& bytes = original.files->contents(path);
  if (bytes.find_last_not_of('\0') == std::string::npos) return true;  // ready, not begun
  const bool header = at < header_bytes || (at >= seal_at && at < seal_at + seal_bytes);
  const std::size_t end = (bytes.find_last_not_of('\0') / 8 + 1) * 8;
  const auto head = read_header(bytes);
  const auto seal = read_seal(std::string_view(bytes).substr(seal_at), key_of(head->id, head->generation));
  const bool block = at >= blocks_at && at < (seal ? seal->end : end);
  return !(header || block) || (!seal && at >= seal_at && at < blocks_at);
}

// B1: one bit at each byte of each file of a small journal.
TEST(JournalDamage, B1_AFlippedBitIsDetectedAndNoWrongByteIsRead) {
  const Bench original = written();
  std::uint64_t flips = 0;
  for (const std::string& path : original.files->names()) {
    const std::string bytes = original.files->contents(path);
    const std::size_t step = path.ends_with(".segment") && bytes.find_last_not_of('\0') == std::string::npos ? 997 : 1;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const bool slack = is_slack(original, path, at);
      if (slack && at % 61 != 0) continue;
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      Bench bench = with(original, path, std::move(flipped));
      const Judgement judgement = judge(bench);
      ++flips;
      ASSERT_FALSE(judgement.wrong_payload) << path << " byte " << at;
      ASSERT_TRUE(judgement.detected || slack) << path << " byte " << at;
      ASSERT_FALSE(judgement.lost && !judgement.detected) << path << " byte " << at;
    }
  }
  EXPECT_GT(flips, 9'000u);
}

// B1: in the segment that is written, damage below the synced position stops the server, and the place is named.
TEST(JournalDamage, B1_DamageBelowTheSyncedPositionStopsTheServer) {
  const Bench original = written();
  const std::string path = Bench::segment(3);
  const std::string bytes = original.files->contents(path);
  const std::size_t end = bytes.find_last_not_of('\0');
  std::uint64_t tried = 0;
  for (std::size_t at = blocks_at; at < end - 8; at += 7) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    Bench bench = with(original, path, std::move(flipped));
    auto opened = bench.open();
    ASSERT_FALSE(opened.has_value()) << "byte " << at;
    EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED);
    EXPECT_EQ(opened.error().where, path);
    EXPECT_NE(opened.error().message.find("position"), std::string::npos);
    ++tried;
  }
  EXPECT_GT(tried, 100u);
}

// The tests above can fail: without checksums wrong bytes are read.
TEST(JournalDamage, B1_WithoutChecksumsTheOracleTurnsRed) {
  const Bench original = written();
  const std::string path = Bench::segment(1);
  const std::string bytes = original.files->contents(path);
  int wrong = 0;
  for (std::size_t at = blocks_at; at < bytes.size(); at += 11) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    Bench bench = with(original, path, std::move(flipped));
    bench.unsafe.skip_checks = true;
    wrong += judge(bench).wrong_payload ? 1 : 0;
  }
  EXPECT_GT(wrong, 0);
}

// B1: one damaged body: its neighbours, in the same block and in later ones, stay readable.
TEST(JournalDamage, B1_WhatIsNotDamagedStaysReadable) {
  const Bench original = written();
  std::string bytes = original.files->contents(Bench::segment(1));
  const std::size_t body = bytes.find("body 6");
  ASSERT_NE(body, std::string::npos);
  const std::string place = "byte " + std::to_string(body) + ", position 6:";
  bytes[body + 1] = '?';
  Bench bench = with(original, Bench::segment(1), std::move(bytes));
  ASSERT_TRUE(bench.open());
  const auto reader = bench.journal->reader();
  std::string read;
  for (std::uint64_t position = 1; position <= records; ++position) {
    auto got = reader->body(Position(position), read);
    EXPECT_EQ(got.has_value(), position != 6) << position;
    if (got) {
      EXPECT_EQ(read, *numbered(position, 500).body);
    } else {
      EXPECT_EQ(got.error().code, base::ErrorCode::JOURNAL_DAMAGED);
      EXPECT_EQ(got.error().where, Bench::segment(1));
      EXPECT_TRUE(got.error().message.starts_with(place)) << got.error().message;
    }
  }
  auto report = verify(*bench.files, "data");
  ASSERT_TRUE(report.has_value());
  ASSERT_FALSE(report->intact());
  EXPECT_NE(report->first_bad->message.find("position 5"), std::string::npos) << report->first_bad->message;
}

// B2: a journal of one segment that was cut off before its blocks, its mark with them, is no new one.
TEST(JournalDamage, B2_ASegmentThatEndsBeforeItsBlocksWasCut) {
  Bench original;
  ASSERT_TRUE(original.open());
  ASSERT_TRUE(append_numbered(*original.journal, 2, 500));
  original.kill();
  const std::string& bytes = original.files->contents(Bench::segment(1));
  for (const std::uint64_t size : {header_bytes, seal_at, mark_at, mark_at + mark_bytes, blocks_at - 1}) {
    Bench bench = with(original, Bench::segment(1), bytes.substr(0, size));
    const auto report = verify(*bench.files, "data");
    ASSERT_TRUE(report.has_value()) << error_text(report);
    EXPECT_FALSE(report->intact()) << size;
    const auto opened = bench.open();
    ASSERT_FALSE(opened.has_value()) << size;
    EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED) << size;
  }
}

struct Blocks {
  std::vector<std::size_t> at;  // where each begins, and where the last ends
  explicit Blocks(const std::string& bytes) {
    const auto header = read_header(bytes);
    const SegmentKey key = key_of(header->id, header->generation);
    for (std::size_t i = blocks_at; i + 8 <= bytes.size(); i += 8) {
      if (std::equal(&bytes[i], &bytes[i] + 8, reinterpret_cast<const char*>(&key.marker))) at.push_back(i);
    }
    at.push_back((bytes.find_last_not_of('\0') / 8 + 1) * 8);
  }
};

// B2: two blocks of the same size change places.
TEST(JournalDamage, B2_SwappedBlocksAreDetected) {
  const Bench original = written();
  for (const int segment : {1, 2, 3}) {
    std::string bytes = original.files->contents(Bench::segment(segment));
    const Blocks blocks(bytes);
    bool swapped = false;
    for (std::size_t i = 0; i + 2 < blocks.at.size() && !swapped; ++i) {
      const std::size_t size = blocks.at[i + 1] - blocks.at[i];
      if (blocks.at[i + 2] - blocks.at[i + 1] != size) continue;
      std::swap_ranges(&bytes[blocks.at[i]], &bytes[blocks.at[i]] + size, &bytes[blocks.at[i + 1]]);
      swapped = true;
    }
    ASSERT_TRUE(swapped);
    Bench bench = with(original, Bench::segment(segment), std::move(bytes));
    const Judgement judgement = judge(bench);
    EXPECT_TRUE(judgement.detected);
    EXPECT_FALSE(judgement.wrong_payload);
  }
}

// B2: a block copied over another of its size, within a segment and from another one.
TEST(JournalDamage, B2_ACopiedBlockIsDetected) {
  const Bench original = written();
  const std::string one = original.files->contents(Bench::segment(1));
  for (const int segment : {1, 2}) {
    std::string bytes = original.files->contents(Bench::segment(segment));
    const Blocks from(one);
    const Blocks to(bytes);
    bool copied = false;
    for (std::size_t i = 0; i + 1 < from.at.size() && !copied; ++i) {
      for (std::size_t j = 0; j + 1 < to.at.size() && !copied; ++j) {
        const std::size_t size = from.at[i + 1] - from.at[i];
        if (to.at[j + 1] - to.at[j] != size || (segment == 1 && i == j)) continue;
        bytes.replace(to.at[j], size, one, from.at[i], size);
        copied = true;
      }
    }
    ASSERT_TRUE(copied);
    Bench bench = with(original, Bench::segment(segment), std::move(bytes));
    const Judgement judgement = judge(bench);
    EXPECT_TRUE(judgement.detected);
    EXPECT_FALSE(judgement.wrong_payload);
  }
}

// B2: an old segment's contents under another segment's name.
TEST(JournalDamage, B2_AReplayedSegmentIsDetected) {
  const Bench original = written();
  for (const auto& [from, to] : {std::pair{1, 2}, {1, 3}, {2, 3}, {2, 1}, {1, 4}, {3, 4}}) {
    Bench bench = with(original, Bench::segment(to), original.files->contents(Bench::segment(from)));
    auto opened = bench.open();
    ASSERT_FALSE(opened.has_value()) << from << " over " << to;
    EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED);
  }
}

// B2: each 4 KiB page zeroed.
TEST(JournalDamage, B2_AZeroedPageIsDetected) {
  const Bench original = written();
  for (const int segment : {1, 2, 3}) {
    const std::string bytes = original.files->contents(Bench::segment(segment));
    const std::size_t end = bytes.find_last_not_of('\0');
    for (std::size_t page = 0; page <= end; page += 4096) {
      std::string zeroed = bytes;
      std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
      Bench bench = with(original, Bench::segment(segment), std::move(zeroed));
      const Judgement judgement = judge(bench);
      EXPECT_TRUE(judgement.detected) << "segment " << segment << ", page at " << page;
      EXPECT_FALSE(judgement.wrong_payload);
    }
  }
}

// B2: segments cut short or gone stop the server; nothing is cleaned up. (The newest, cut, is A6's torn tail: what
// knew of the synced bytes went with them.)
TEST(JournalDamage, B2_AMissingOrShortSegmentStopsTheServer) {
  const Bench original = written();
  for (const auto& [segment, gone] : {std::pair{1, true}, {1, false}, {2, true}, {2, false}, {3, true}}) {
    const std::string path = Bench::segment(segment);
    Bench bench = with(original, path, original.files->contents(path).substr(0, 6000));
    if (gone) bench.files->erase(path);
    const auto before = bench.files->names();
    auto opened = bench.open();
    ASSERT_FALSE(opened.has_value()) << "segment " << segment << (gone ? " gone" : " cut");
    EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED) << error_text(opened);
    EXPECT_EQ(opened.error().where, path);
    EXPECT_EQ(bench.files->names(), before);
    auto report = verify(*bench.files, "data");
    ASSERT_TRUE(report.has_value());
    EXPECT_FALSE(report->intact());
  }
}

// B2: all segments gone is no new journal.
TEST(JournalDamage, B2_AFolderWhoseSegmentsAreGoneIsNoNewJournal) {
  Bench bench = written();
  for (int segment = 1; segment <= 6; ++segment) bench.files->erase(Bench::segment(segment));
  auto opened = bench.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED);
}

// B2: snapshot, id and indexes are rebuilt or done without.
TEST(JournalDamage, B2_WhatCanBeRebuiltMayBeGone) {
  for (const std::string& gone : {snapshot_path, "data/" + std::string(id_name)}) {
    Bench bench = written();
    bench.files->erase(gone);
    ASSERT_TRUE(bench.open()) << gone;
    const Contents contents = Contents::of(*bench.journal);
    EXPECT_EQ(contents.events.size(), records);
    EXPECT_FALSE(contents.error.has_value());
  }
  Bench bench = written();
  std::string bytes = bench.files->contents(Bench::segment(1));
  const auto header = read_header(bytes);
  const auto seal = read_seal(std::string_view(bytes).substr(seal_at), key_of(header->id, header->generation));
  ASSERT_TRUE(seal.has_value());
  bytes[seal->end] ^= 1;  // the first row of the index
  bench.files->set_contents(Bench::segment(1), std::move(bytes));
  ASSERT_TRUE(bench.open());
  EXPECT_FALSE(Contents::of(*bench.journal).error.has_value());
}

TEST(JournalDamage, ASnapshotOfLaterHistoryThanTheJournalStopsTheServer) {
  Bench bench = written();
  const std::string snapshot = bench.files->contents(snapshot_path);
  Bench shorter;
  shorter.segment_bytes = bench.segment_bytes;
  ASSERT_TRUE(shorter.open());
  ASSERT_TRUE(append_numbered(*shorter.journal, 2, 500));
  shorter.kill();
  shorter.files->set_contents(snapshot_path, snapshot);  // the same seed: the same journal id
  auto opened = shorter.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_DAMAGED);
  EXPECT_NE(opened.error().message.find("position 8 was synced"), std::string::npos) << opened.error().message;
}

TEST(JournalDamage, ASnapshotOfAnotherHistoryIsRefused) {
  Bench bench = written();
  const std::string snapshot = bench.files->contents(snapshot_path);
  Bench other;
  other.segment_bytes = bench.segment_bytes;
  ASSERT_TRUE(other.open());
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(append_numbered(*other.journal, 2, 400));
  other.kill();
  other.files->set_contents(snapshot_path, snapshot);
  ASSERT_TRUE(other.open());
  EXPECT_TRUE(other.journal->snapshots().empty());
  EXPECT_EQ(other.recovered.refused_snapshots.size(), 1u);
}

// It pushes none out that can be read.
TEST(JournalDamage, ARefusedSnapshotGoesBeforeAGoodOne) {
  Bench bench = written();
  const auto snapshot_now = [&bench] {
    auto writer = bench.journal->begin_snapshot();
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE((*writer)->write("state").has_value());
    ASSERT_TRUE((*writer)->commit().has_value());
  };
  ASSERT_TRUE(bench.open());
  ASSERT_TRUE(append_numbered(*bench.journal, 1, 400));
  const std::string newer = "data/" + snapshot_name(bench.journal->head().position);
  snapshot_now();
  bench.kill();
  bench.files->set_contents(newer, "none");
  ASSERT_TRUE(bench.open());
  ASSERT_EQ(bench.recovered.refused_snapshots.size(), 1u);
  ASSERT_EQ(bench.journal->snapshots().size(), 1u);
  ASSERT_TRUE(append_numbered(*bench.journal, 1, 400));
  snapshot_now();
  bench.kill();
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.journal->snapshots().size(), 2u);
  EXPECT_TRUE(bench.recovered.refused_snapshots.empty());
}

// O6
TEST(JournalDamage, O6_AnIntactJournalIsVerified) {
  for (const bool closed : {true, false}) {
    const Bench bench = written(closed);
    auto report = verify(*bench.files, "data");
    ASSERT_TRUE(report.has_value()) << error_text(report);
    EXPECT_TRUE(report->intact()) << report->first_bad->message;
    EXPECT_EQ(report->records, records);
    EXPECT_EQ(report->bodies, records);
    EXPECT_EQ(report->snapshots, 1u);
    EXPECT_EQ(report->tail_bytes, 0u);
    EXPECT_EQ(report->head.position.value, records);
  }
  sim::FaultyFiles none;
  auto report = verify(none, "data");
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, base::ErrorCode::NOT_FOUND);
}

// Contents cannot imitate a block: without the journal's id, which no message holds, the marker cannot be guessed.
TEST(JournalDamage, BlocksInsideBodiesAreNotTakenForBlocks) {
  Bench bench = written();
  const std::string other = bench.files->contents(Bench::segment(1)).substr(blocks_at, 2500);
  bench.random = SeededRandom(7);
  bench.files = std::make_unique<sim::FaultyFiles>();
  ASSERT_TRUE(bench.open());
  ASSERT_TRUE(append_all(*bench.journal, {{"event", other}}));
  bench.kill();
  std::string bytes = bench.files->contents(Bench::segment(1));
  bytes[blocks_at + 60] ^= 1;  // tears the only block
  bench.files->set_contents(Bench::segment(1), std::move(bytes));
  ASSERT_TRUE(bench.open());
  EXPECT_TRUE(bench.recovered.cut.has_value());
}

}  // namespace
}  // namespace parley::journal::file
