#include "journal/file/catalog.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::journal::file {

void Catalog::open(std::vector<Segment> segments, const Head& head) {
  const std::scoped_lock lock(mutex_);
  segments_ = std::move(segments);
  head_ = head;
}

void Catalog::begin(Segment segment) {
  const std::scoped_lock lock(mutex_);
  PARLEY_ASSERT(segments_.back().generation < segment.generation);
  segments_.push_back(std::move(segment));
}

void Catalog::extend(const Head& head, Position block_first, std::uint64_t block_at, std::uint64_t end) {
  const std::scoped_lock lock(mutex_);
  Segment& segment = segments_.back();
  add_row(segment.index, {block_first, block_at}, index_bytes_);
  segment.last = head.position;
  segment.end = end;
  head_ = head;
}

std::vector<IndexRow> Catalog::newest_index() const {
  const std::scoped_lock lock(mutex_);
  return segments_.back().index;
}

void Catalog::seal(const Seal& seal) {
  const std::scoped_lock lock(mutex_);
  segments_.back().seal = seal;
}

void Catalog::set_index(Generation generation, std::vector<IndexRow> index) {
  const std::scoped_lock lock(mutex_);
  for (Segment& segment : segments_) {
    if (segment.generation != generation) continue;
    segment.index = std::move(index);
    return;
  }
}

Head Catalog::head() const {
  const std::scoped_lock lock(mutex_);
  return head_;
}

std::optional<Segment> Catalog::segment_of(Position position) const {
  const std::scoped_lock lock(mutex_);
  const Segment* segment = find(position);
  if (segment == nullptr) return std::nullopt;
  Segment copy{segment->generation, segment->before, segment->last, segment->end, segment->seal, segment->marked, {}};
  if (!segment->index.empty()) copy.index.push_back(segment->index.front());  // says only that there is one
  return copy;
}

Chunk Catalog::chunk_of(Position position) const {
  const std::scoped_lock lock(mutex_);
  const Segment* segment = find(position);
  PARLEY_ASSERT(segment != nullptr && !segment->index.empty());
  const auto& index = segment->index;
  auto after = std::upper_bound(index.begin(), index.end(), position,
                                [](Position p, const IndexRow& row) { return p < row.first; });
  PARLEY_ASSERT(after != index.begin());
  const auto row = std::prev(after);
  return {segment->generation, row->first, row->byte, after == index.end() ? segment->end : after->byte};
}

void Catalog::add_row(std::vector<IndexRow>& index, IndexRow row, std::uint64_t index_bytes) {
  if (index.empty() || row.byte - index.back().byte >= index_bytes) index.push_back(row);
}

const Segment* Catalog::find(Position position) const {
  if (position.value == 0 || position > head_.position) return nullptr;
  auto after = std::upper_bound(segments_.begin(), segments_.end(), position,
                                [](Position p, const Segment& s) { return p <= s.before.position; });
  PARLEY_ASSERT(after != segments_.begin());
  return &*std::prev(after);
}

}  // namespace parley::journal::file
