#include "journal/file/verify.hpp"

#include <algorithm>

#include "journal/file/block_stream.hpp"
#include "journal/file/segment_table.hpp"
#include "journal/file/snapshot_file.hpp"

namespace parley::journal::file {
namespace {

class Verification {
 public:
  Verification(base::FileSystem& files, const std::string& folder) : files_(files), folder_(folder) {}

  base::Result<Report> run() {
    PARLEY_TRY(const Listing listing, list_folder(files_, folder_));
    auto id = find_id(files_, folder_, listing);
    if (!id && id.error().code == base::ErrorCode::JOURNAL_DAMAGED) {
      report_.first_bad = std::move(id).error();
      return std::move(report_);
    }
    if (!id) return std::unexpected(std::move(id).error());
    if (!*id) return base::fail(base::ErrorCode::NOT_FOUND, "there is no journal", folder_);
    id_ = **id;
    report_.head = root_of(id_);
    chain_.at = report_.head;
    if (auto walked = walk(listing); !walked) {
      if (walked.error().code != base::ErrorCode::JOURNAL_DAMAGED) return std::unexpected(std::move(walked).error());
      report_.first_bad = std::move(walked).error();
      report_.tail_bytes = 0;  // what lies behind damage was promised, or part of it
    }
    report_.head = chain_.at;
    return std::move(report_);
  }

 private:
  base::Result<> walk(const Listing& listing) {
    for (const Position position : listing.snapshots) PARLEY_CHECK(take_snapshot(position));
    // A running server may roll between two looks at neighbours; damage is still there at the second look.
    auto first_look = read_segment_table(files_, folder_, id_, listing.segments);
    PARLEY_TRY(const SegmentTable table,
               first_look ? std::move(first_look) : read_segment_table(files_, folder_, id_, listing.segments));
    for (const Segment& segment : table.begun) PARLEY_CHECK(check_segment(segment));
    for (const Generation generation : table.blank) PARLEY_CHECK(check_blank(generation));
    if (synced_ > chain_.at.position) {
      return damaged(folder_, 0, Position(chain_.at.position.value + 1),
                     "the journal ends here, though position " + std::to_string(synced_.value) + " was synced");
    }
    return {};
  }

  base::Result<> take_snapshot(Position position) {
    auto info = check_snapshot(files_, folder_, id_, position);
    if (!info && info.error().code != base::ErrorCode::JOURNAL_DAMAGED) {
      // A running server may have removed it for newer ones since the folder was listed.
      PARLEY_TRY(const Listing now, list_folder(files_, folder_));
      if (std::ranges::find(now.snapshots, position) == now.snapshots.end()) return {};
    }
    if (!info) return std::unexpected(std::move(info).error());
    snapshot_heads_.push_back(info->at);
    synced_ = std::max(synced_, position);
    ++report_.snapshots;
    return {};
  }

  base::Result<> check_segment(const Segment& segment) {
    ++report_.segments;
    synced_ = std::max({synced_, segment.before.position, segment.marked});
    path_ = segment_path(folder_, segment.generation);
    PARLEY_TRY(auto file, files_.open(path_, base::OpenMode::read_only));
    PARLEY_TRY(const std::uint64_t size, file->size());
    const SegmentKey key = key_of(id_, segment.generation);
    const std::uint64_t end = segment.seal ? segment.end : std::max(size, blocks_at);
    std::uint64_t at = blocks_at;
    while (true) {
      PARLEY_TRY(const std::uint64_t stopped, walk_blocks(*file, key, at, end));
      if (stopped == end) break;
      if (segment.seal) return bad(stopped, "a block of a sealed segment is not as written");
      // A running server may have written on since this place was read. What it has written by now is found from here
      // on; what is not whole after a second look was not whole when the rest was surveyed.
      PARLEY_TRY(const Rest rest, survey(*file, key, stopped, size));
      PARLEY_TRY(at, walk_blocks(*file, key, stopped, end));
      if (at == stopped) return check_tail(rest, stopped);
    }
    if (segment.seal && segment.seal->at != chain_.at) return bad(segment.end, "the seal names another head");
    return {};
  }

  // Checks blocks from `from` on; says where the first that is not whole and in order would begin.
  base::Result<std::uint64_t> walk_blocks(base::File& file, const SegmentKey& key, std::uint64_t from,
                                          std::uint64_t to) {
    BlockStream stream(file, key, from, to, Bodies::checked);
    while (true) {
      PARLEY_TRY(const Step step, stream.next());
      if (step != Step::block || !chain_.follows(stream.block())) return stream.byte();
      PARLEY_CHECK(check_block(file, stream));
    }
  }

  base::Result<> check_block(base::File& file, const BlockStream& stream) {
    const Block& block = stream.block();
    ++report_.blocks;
    synced_ = std::max(synced_, block.header().synced);
    for (std::uint32_t i = 0; i < block.chained().count(); ++i) {
      ++report_.records;
      if (block.kind(i) == BodyKind::erased) ++report_.erased;
      if (block.kind(i) != BodyKind::kept) continue;
      ++report_.bodies;
      body_.resize(block.chained().body_length(i));
      PARLEY_CHECK(file.read_at(stream.byte() + block.body_at(i), body_));
      if (base::sha256(body_) != block.chained().body_hash(i)) {
        return damaged(path_, stream.byte() + block.body_at(i), Position(block.chained().first().value + i),
                       "native bytes do not have the hash that was recorded");
      }
    }
    chain_.pass(block);
    for (const Head& snapshot : snapshot_heads_) {
      const bool another = snapshot.position == chain_.at.position && snapshot != chain_.at;
      if (another)
        return damaged(folder_ + "/" + snapshot_name(snapshot.position), 0, snapshot.position,
                       "the snapshot is of another history");
    }
    return {};
  }

  // Up to here all is well; what follows may be a torn write, or was synced once.
  base::Result<> check_tail(const Rest& rest, std::uint64_t byte) {
    report_.tail_bytes += rest.nonzero_end - byte;
    synced_ = std::max(synced_, rest.synced);
    if (synced_ > chain_.at.position) {
      return bad(byte, "no intact block, though position " + std::to_string(synced_.value) + " was synced");
    }
    return {};
  }

  base::Result<> check_blank(Generation generation) {
    path_ = segment_path(folder_, generation);
    PARLEY_TRY(auto file, files_.open(path_, base::OpenMode::read_only));
    PARLEY_TRY(const std::uint64_t size, file->size());
    PARLEY_TRY(const Rest rest, survey(*file, key_of(id_, generation), 0, size));
    std::string opening(header_bytes, '\0');
    PARLEY_CHECK(file->read_at(0, opening));
    if (read_header(opening)) return {};  // a running server has begun it since
    report_.tail_bytes += rest.nonzero_end;
    if (rest.synced > chain_.at.position) return bad(0, "the segment has lost its header");
    return {};
  }

  std::unexpected<base::Error> bad(std::uint64_t byte, std::string_view what) const {
    return damaged(path_, byte, Position(chain_.at.position.value + 1), what);
  }

  base::FileSystem& files_;
  const std::string& folder_;
  JournalId id_{};
  std::vector<Head> snapshot_heads_;
  Chain chain_;
  Position synced_;
  std::string path_;
  std::string body_;
  Report report_;
};

}  // namespace

base::Result<Report> verify(base::FileSystem& files, const std::string& folder) {
  return Verification(files, folder).run();
}

}  // namespace parley::journal::file
