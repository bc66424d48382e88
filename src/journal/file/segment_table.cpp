#include "journal/file/segment_table.hpp"

#include "journal/file/snapshot_file.hpp"

#include <algorithm>

namespace parley::journal::file {
namespace {

struct Opening {
  std::optional<SegmentHeader> header;
  std::optional<Seal> seal;
  Position marked;
  std::uint64_t size = 0;
};

base::Result<Opening> read_opening(base::FileSystem& files, const std::string& path) {
  PARLEY_TRY(auto file, files.open(path, base::OpenMode::read_only));
  std::string bytes(mark_at + mark_bytes, '\0');
  PARLEY_TRY(const std::size_t got, file->read_at(0, bytes));
  Opening opening;
  PARLEY_TRY(opening.size, file->size());
  const std::string_view view = std::string_view(bytes).substr(0, got);
  opening.header = read_header(view);
  if (opening.header && got == bytes.size()) {
    const SegmentKey key = key_of(opening.header->id, opening.header->generation);
    opening.seal = read_seal(view.substr(seal_at), key);
    opening.marked = read_mark(view.substr(mark_at), key);
  }
  return opening;
}

Segment segment_of(const Opening& opening) {
  const SegmentHeader& header = *opening.header;
  Segment segment{
      header.generation, header.before, header.before.position, blocks_at, opening.seal, opening.marked, {}};
  if (opening.seal) {
    segment.last = opening.seal->at.position;
    segment.end = opening.seal->end;
  }
  return segment;
}

// Which position a segment that was cut short has lost, at least. It is made and synced before it is begun: no crash
// leaves one that has a header and ends before its blocks.
std::optional<Position> cut_from(const Opening& opening) {
  if (opening.size < blocks_at) return Position(opening.header->before.position.value + 1);
  if (opening.seal && opening.size < opening.seal->end) return opening.seal->at.position;
  return std::nullopt;
}

// Whether `next` may stand after the segments so far.
base::Result<> check_joint(const SegmentTable& table, const std::string& folder, const JournalId& id,
                           Generation generation, const SegmentHeader& next) {
  const std::string path = segment_path(folder, generation);
  const Position expected(next.before.position.value + 1);
  if (next.version != format_version) {
    return base::fail(base::ErrorCode::JOURNAL_FAILED,
                      "the segment is of format version " + std::to_string(next.version) + "; this server reads " +
                          std::to_string(format_version),
                      path, "Start the version of the server that wrote it, or a newer one.");
  }
  if (next.id != id) return damaged(path, 0, expected, "the segment belongs to another journal");
  if (next.generation != generation) return damaged(path, 0, expected, "the segment has another generation's contents");
  if (!table.blank.empty()) {
    return damaged(segment_path(folder, table.blank.front()), 0, expected,
                   "the segment's header is gone, though a later segment was begun");
  }
  if (table.begun.empty()) {
    if (next.before == root_of(id)) return {};
    return damaged(path, 0, expected, "the first segment does not begin the journal");
  }
  const Segment& before = table.begun.back();
  if (!before.seal) {
    return damaged(segment_path(folder, before.generation), seal_at, expected,
                   "the segment's seal is gone, though a later segment was begun");
  }
  if (before.seal->at == next.before) return {};
  return damaged(path, 0, expected, "the segment does not continue the one before it");
}

}  // namespace

std::string segment_path(const std::string& folder, Generation generation) {
  return folder + "/" + segment_name(generation);
}

base::Result<Listing> list_folder(base::FileSystem& files, const std::string& folder) {
  PARLEY_TRY(const auto names, files.list(folder));
  Listing listing;
  for (const std::string& name : names) {
    if (const auto generation = generation_of(name)) listing.segments.push_back(*generation);
    if (const auto position = snapshot_position(name)) listing.snapshots.push_back(*position);
    const bool ours = name.starts_with(id_name) || name.starts_with("snapshot-");
    if (ours && name.ends_with(unfinished_suffix)) listing.unfinished.push_back(name);
    if (name == id_name) listing.has_id = true;
  }
  std::sort(listing.segments.begin(), listing.segments.end());
  std::sort(listing.snapshots.rbegin(), listing.snapshots.rend());
  return listing;
}

base::Result<std::optional<JournalId>> find_id(base::FileSystem& files, const std::string& folder,
                                               const Listing& listing) {
  if (listing.has_id) {
    PARLEY_TRY(auto file, files.open(folder + "/" + std::string(id_name), base::OpenMode::read_only));
    std::string bytes(256, '\0');
    PARLEY_TRY(const std::size_t got, file->read_at(0, bytes));
    if (const auto id = read_id(std::string_view(bytes).substr(0, got))) return id;
  }
  for (const Generation generation : listing.segments) {
    PARLEY_TRY(const Opening opening, read_opening(files, segment_path(folder, generation)));
    if (opening.header) return opening.header->id;
  }
  if (listing.has_id || !listing.snapshots.empty()) {
    return damaged(folder, 0, Position(1), "this was a journal, but no segment says which");
  }
  return std::nullopt;
}

base::Result<SegmentTable> read_segment_table(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                              const std::vector<Generation>& generations) {
  SegmentTable table;
  Generation expected(1);
  for (const Generation generation : generations) {
    if (generation != expected) break;
    const std::string path = segment_path(folder, generation);
    PARLEY_TRY(const Opening opening, read_opening(files, path));
    expected = Generation(generation.value + 1);
    if (!opening.header) {
      table.blank.push_back(generation);
      continue;
    }
    PARLEY_CHECK(check_joint(table, folder, id, generation, *opening.header));
    if (const auto lost = cut_from(opening)) return damaged(path, opening.size, *lost, "the segment was cut short");
    table.begun.push_back(segment_of(opening));
    table.newest_bytes = opening.header->bytes;
  }
  // The file after a sealed segment was made and synced before the seal.
  const bool lacks_next = table.begun.empty() || (table.begun.back().seal && table.blank.empty());
  const bool gap = !generations.empty() && generations.back() >= expected;
  if (lacks_next || gap) {
    const Generation missing = !gap && table.begun.empty() ? Generation(1) : expected;
    const Position position(table.begun.empty() ? 1 : table.begun.back().last.value + 1);
    return damaged(segment_path(folder, missing), 0, position, "the segment is missing or has lost its header");
  }
  return table;
}

}  // namespace parley::journal::file
