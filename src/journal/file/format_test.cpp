// The format is a promise to journals that exist: these bytes may not change without a new version.
#include "journal/file/format.hpp"

#include "journal/file/block.hpp"
#include "journal/file/test_bench.hpp"
#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

// A journal made with a fixed id, two blocks, times and contents: its segment, byte for byte, by hash.
TEST(JournalFormat, VersionOneIsFrozen) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  ASSERT_TRUE(append_all(*bench.journal, {{"one", "body of one"}, {"two", std::nullopt}}, 1'700'000'000'000'000));
  ASSERT_TRUE(append_all(*bench.journal, {{"three", ""}}, 1'700'000'000'000'001));
  ASSERT_TRUE(bench.journal->close());
  EXPECT_EQ(base::to_hex(base::sha256(bench.files->contents(Bench::segment(1)))),
            "d8c9a4cb25f30a295dffdbdf481392dec9dfc185ebbf9e16c3e5b2d8c292275d");
  EXPECT_EQ(base::to_hex(bench.journal->head().chain),
            "2311fd79c8cb036259db4f464c5abbde1a6def345b17879a8da3ad7ccc170a75");
}

TEST(JournalFormat, SegmentNamesAreReadAsTheyAreWritten) {
  EXPECT_EQ(segment_name(Generation(7)), "0000000007.segment");
  EXPECT_EQ(generation_of("0000000007.segment"), Generation(7));
  EXPECT_EQ(generation_of(segment_name(Generation(12'345'678'901))), Generation(12'345'678'901));
  for (const char* other : {"7.segment", "0000000000.segment", "000000000x.segment", "0000000007.segmen", "segment",
                            "-000000007.segment", "0000000007.segment.unfinished", ""}) {
    EXPECT_FALSE(generation_of(other).has_value()) << other;
  }
}

// However they lie in memory, they are the same block; side by side they are few pieces, which are checked and written
// in less time.
TEST(JournalFormat, RecordsThatLieSideBySideAreStoredAsOne) {
  const std::vector<TestRecord> apart{{"one", "body of one"}, {"two", std::nullopt}, {"", "another"}};
  std::string events, bodies;
  for (const auto& [event, body] : apart) {
    events += event;
    bodies += body.value_or("");
  }
  std::vector<Record> side_by_side = views_of(apart);
  std::size_t event_at = 0, body_at = 0;
  for (Record& record : side_by_side) {
    record.event = std::string_view(events).substr(event_at, record.event.size());
    record.body = std::string_view(bodies).substr(body_at, record.body.size());
    event_at += record.event.size();
    body_at += record.body.size();
  }
  const auto block_of = [](const std::vector<Record>& records, std::size_t& pieces) {
    BlockWriter writer;
    writer.write(records, {.first = Position(1)}, key_of(JournalId{}, Generation(1)), Position{});
    writer.seal();
    writer.link();
    pieces = writer.pieces().size();
    std::string bytes;
    for (const std::string_view piece : writer.pieces()) bytes += piece;
    EXPECT_EQ(bytes.size(), BlockWriter::bytes_of(records));
    return std::pair(bytes, base::to_hex(writer.chain()));
  };
  std::size_t pieces = 0, pieces_apart = 0;
  EXPECT_EQ(block_of(side_by_side, pieces), block_of(views_of(apart), pieces_apart));
  EXPECT_EQ(pieces, 5u);  // the front, the events, the kinds, the bodies, the padding
  EXPECT_EQ(pieces_apart, 7u);
}

// What erasing will do to a record: its bytes go, its event, its hash and the chain stay (D3).
TEST(JournalFormat, AnErasedBodyLeavesTheChainWhole) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  ASSERT_TRUE(append_numbered(*bench.journal, 3, 100));
  ASSERT_TRUE(append_numbered(*bench.journal, 1, 100));
  const Head head = bench.journal->head();
  ASSERT_TRUE(bench.journal->close());
  bench.kill();

  std::string bytes = bench.files->contents(Bench::segment(1));
  const SegmentKey key = key_of(read_header(bytes)->id, Generation(1));
  const std::string_view at = std::string_view(bytes).substr(blocks_at);
  const BlockHeader header = *read_block_header(at, key, at.size());
  const Block block = *Block::of(header, at, key);
  char* const to = bytes.data() + blocks_at;
  std::memset(to + block.body_at(1), 0, block.chained().body_length(1));
  to[header.bodies_at - 3 + 1] = static_cast<char>(BodyKind::erased);
  store(to + 12, base::crc32c({to + header.bodies_at, header.length - header.bodies_at}));
  store(to + 8, base::crc32c({to + 12, header.bodies_at - 12}));
  bench.files->set_contents(Bench::segment(1), std::move(bytes));

  auto report = verify(*bench.files, "data");
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->intact());
  EXPECT_EQ(report->erased, 1u);
  EXPECT_EQ(report->bodies, 3u);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.journal->head(), head);
  std::string body;
  const auto reader = bench.journal->reader();
  EXPECT_TRUE(reader->body(Position(1), body));
  auto erased = reader->body(Position(2), body);
  ASSERT_FALSE(erased.has_value());
  EXPECT_EQ(erased.error().code, base::ErrorCode::NOT_FOUND);
  EXPECT_TRUE(reader->body(Position(3), body));
}

TEST(JournalFormat, AnotherVersionIsNamedNotCalledDamage) {
  Bench bench;
  ASSERT_TRUE(bench.open());
  bench.kill();
  std::string bytes = bench.files->contents(Bench::segment(1));
  SegmentHeader header = *read_header(bytes);
  header.version = 2;
  write_header(bytes.data(), header);
  bench.files->set_contents(Bench::segment(1), std::move(bytes));
  auto opened = bench.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, base::ErrorCode::JOURNAL_FAILED);
  EXPECT_NE(opened.error().message.find("version 2"), std::string::npos);
}

}  // namespace
}  // namespace parley::journal::file
