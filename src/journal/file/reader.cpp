#include "journal/file/reader.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

constexpr std::size_t open_segments_max = 8;

// Hands the block's records from `from` on to the visitor.
base::Result<Visit> visit_block(const Block& block, Position from, const EntryVisitor& visit) {
  const Chained& chained = block.chained();
  std::string_view events = chained.events();
  Entry entry;
  entry.engine_time = chained.engine_time();
  for (std::uint32_t i = 0; i < chained.count(); ++i) {
    const std::uint32_t length = chained.event_length(i);
    entry.position = Position(chained.first().value + i);
    entry.event = events.substr(0, length);
    events.remove_prefix(length);
    if (entry.position < from) continue;
    entry.body = block.kind(i);
    entry.body_length = chained.body_length(i);
    entry.body_hash = chained.body_hash(i);
    PARLEY_TRY(const Visit then, visit(entry));
    if (then == Visit::stop) return then;
  }
  return Visit::next;
}

}  // namespace

base::Result<> FileReader::read(Position from, const EntryVisitor& visit) {
  const Position to = setup_.catalog->head().position;
  Position next = std::max(from, Position(1));
  while (next <= to) {
    const auto segment = setup_.catalog->segment_of(next);
    PARLEY_ASSERT(segment.has_value());
    PARLEY_TRY(const Visit then, read_segment(*segment, next, to, visit));
    if (then == Visit::stop) break;
    next = Position(segment->last.value + 1);
  }
  return {};
}

base::Result<Visit> FileReader::read_segment(const Segment& segment, Position from, Position to,
                                             const EntryVisitor& visit) {
  PARLEY_TRY(base::File* const file, file_of(segment.generation));
  PARLEY_TRY(const Chunk start, locate(segment, from));
  BlockStream stream(*file, key(segment.generation), start.from, segment.end, Bodies::skipped);
  Chain chain{segment.before};
  bool chained = start.from == blocks_at;  // further on, the first block says what it follows
  while (chain.at.position < to || !chained) {
    PARLEY_TRY(const Step step, stream.next());
    if (step == Step::end) break;
    if (step == Step::block && !chained) {
      chain.at = {Position(start.first.value - 1), {}, stream.block().chained().previous()};
      chained = true;
    }
    if (step == Step::bad || !chain.follows(stream.block())) {
      return damaged(path(segment.generation), stream.byte(), Position(chain.at.position.value + 1),
                     "a synced block does not read back as it was written");
    }
    chain.pass(stream.block());
    if (chain.at.position < from) continue;
    PARLEY_TRY(const Visit then, visit_block(stream.block(), from, visit));
    if (then == Visit::stop) return then;
  }
  if (chain.at.position < std::min(segment.last, to)) {
    return damaged(path(segment.generation), segment.end, Position(chain.at.position.value + 1),
                   "the segment ends before its last position");
  }
  if (segment.seal && chain.at.position == segment.last && chain.at.chain != segment.seal->at.chain) {
    return damaged(path(segment.generation), segment.end, segment.last, "the segment ends with another chain hash");
  }
  return Visit::next;
}

base::Result<> FileReader::event(Position position, std::string& into) {
  PARLEY_TRY(const LoadedBlock* const loaded, block_of(position));
  const Chained& chained = loaded->block.chained();
  into.assign(chained.event(chained.index_of(position)));
  return {};
}

base::Result<> FileReader::body(Position position, std::string& into) {
  PARLEY_TRY(LoadedBlock* const loaded, block_of(position));
  const Block& block = loaded->block;
  const std::uint32_t index = block.chained().index_of(position);
  if (block.kind(index) != BodyKind::kept) {
    const bool erased = block.kind(index) == BodyKind::erased;
    return base::fail(base::ErrorCode::NOT_FOUND, erased ? "the bytes were erased" : "the record has no native bytes",
                      "position " + std::to_string(position.value));
  }
  const std::string_view bytes = loaded->bytes.substr(block.body_at(index), block.chained().body_length(index));
  // One damaged body does not take its neighbours in the block with it.
  if (!bodies_intact(*loaded) && base::sha256(bytes) != block.chained().body_hash(index)) {
    return damaged(path(loaded->generation), loaded->at + block.body_at(index), position,
                   "native bytes do not have the hash that was recorded");
  }
  into.assign(bytes);
  return {};
}

bool FileReader::bodies_intact(LoadedBlock& loaded) const {
  if (!loaded.bodies_intact) loaded.bodies_intact = loaded.block.bodies_intact(loaded.bytes, key(loaded.generation));
  return *loaded.bodies_intact;
}

base::Result<std::optional<base::Digest>> FileReader::chain_before(Position position) {
  PARLEY_TRY(const LoadedBlock* const loaded, block_of(position));
  if (loaded->block.chained().first() != position) return std::nullopt;
  return loaded->block.chained().previous();
}

base::Result<FileReader::LoadedBlock*> FileReader::block_of(Position position) {
  const auto segment = setup_.catalog->segment_of(position);
  if (!segment) {
    return base::fail(base::ErrorCode::NOT_FOUND, "no such position", "position " + std::to_string(position.value));
  }
  PARLEY_TRY(const Chunk place, locate(*segment, position));
  PARLEY_TRY(LoadedChunk* const chunk, load(place));
  const auto after = std::upper_bound(chunk->blocks.begin(), chunk->blocks.end(), position,
                                      [](Position p, const LoadedBlock& b) { return p < b.block.chained().first(); });
  if (after != chunk->blocks.begin() && std::prev(after)->block.chained().last() >= position) return &*std::prev(after);
  return damaged(path(place.generation), place.from, position,
                 "no intact block holds the position between this byte and byte " + std::to_string(place.to));
}

base::Result<FileReader::LoadedChunk*> FileReader::load(const Chunk& place) {
  const auto same = [&](const LoadedChunk& c) {
    return c.place.generation == place.generation && c.place.from == place.from;
  };
  const auto found = std::find_if(chunks_.begin(), chunks_.end(), same);
  if (found != chunks_.end() && found->place.to == place.to) {
    chunks_.splice(chunks_.begin(), chunks_, found);
    return &chunks_.front();
  }
  if (found != chunks_.end()) {  // the newest chunk has grown
    cached_bytes_ -= found->bytes.size();
    chunks_.erase(found);
  }

  PARLEY_TRY(base::File* const file, file_of(place.generation));
  LoadedChunk& chunk = chunks_.emplace_front(LoadedChunk{place, std::string(place.to - place.from, '\0'), {}});
  auto got = file->read_at(place.from, chunk.bytes);
  if (!got) {
    chunks_.pop_front();
    return std::unexpected(std::move(got).error());
  }
  cached_bytes_ += chunk.bytes.size();
  bytes_read_ += chunk.bytes.size();
  const std::string_view bytes = std::string_view(chunk.bytes).substr(0, *got);
  const SegmentKey segment_key = key(place.generation);
  for (std::size_t at = 0; at + block_header_bytes <= bytes.size();) {
    const std::string_view rest = bytes.substr(at);
    const auto header = read_block_header(rest, segment_key, rest.size());
    const auto block = header ? Block::of(*header, rest, segment_key) : std::nullopt;
    if (!block) {  // what is behind a damaged block stays readable
      at += 8;
      continue;
    }
    const std::string_view whole = rest.substr(0, header->length);
    chunk.blocks.push_back({*block, whole, std::nullopt, place.generation, place.from + at});
    at += header->length;
  }
  while (cached_bytes_ > setup_.cache_bytes && chunks_.size() > 1) {
    cached_bytes_ -= chunks_.back().bytes.size();
    chunks_.pop_back();
  }
  return &chunks_.front();
}

base::Result<base::File*> FileReader::file_of(Generation generation) {
  const auto same = [&](const OpenSegment& s) { return s.generation == generation; };
  const auto found = std::find_if(open_.begin(), open_.end(), same);
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front().file.get();
  }
  // Whoever needs the bytes at once stops where this fails: the server keeps descriptors for it from its connections.
  PARLEY_TRY(auto file, setup_.files->open(path(generation), base::OpenMode::read_only));
  open_.push_front({generation, std::move(file)});
  if (open_.size() > open_segments_max) open_.pop_back();
  return open_.front().file.get();
}

base::Result<Chunk> FileReader::locate(const Segment& segment, Position position) {
  if (segment.index.empty()) {
    PARLEY_TRY(auto index, index_of(segment));
    setup_.catalog->set_index(segment.generation, std::move(index));
  }
  return setup_.catalog->chunk_of(position);
}

base::Result<std::vector<IndexRow>> FileReader::index_of(const Segment& segment) {
  PARLEY_ASSERT(segment.seal.has_value());  // the newest segment's index is always there
  PARLEY_TRY(base::File* const file, file_of(segment.generation));
  std::string bytes(segment.seal->index_rows * index_row_bytes, '\0');
  PARLEY_TRY(const std::size_t got, file->read_at(segment.seal->end, bytes));
  const bool intact = got == bytes.size() && !bytes.empty() && base::crc32c(bytes) == segment.seal->index_crc;
  if (intact) return read_index(bytes);
  return rebuild_index(segment);
}

// A damaged index is no loss: the blocks are walked once.
base::Result<std::vector<IndexRow>> FileReader::rebuild_index(const Segment& segment) {
  PARLEY_TRY(base::File* const file, file_of(segment.generation));
  std::vector<IndexRow> index;
  BlockStream stream(*file, key(segment.generation), blocks_at, segment.end, Bodies::skipped);
  while (true) {
    PARLEY_TRY(const Step step, stream.next());
    if (step != Step::block) break;
    Catalog::add_row(index, {stream.block().chained().first(), stream.byte()}, setup_.catalog->index_bytes());
  }
  if (index.empty()) index.push_back({Position(segment.before.position.value + 1), blocks_at});
  return index;
}

}  // namespace parley::journal::file
