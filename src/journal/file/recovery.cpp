#include "journal/file/recovery.hpp"

#include <algorithm>
#include <deque>

#include "journal/file/block_stream.hpp"
#include "journal/file/snapshot_file.hpp"

namespace parley::journal::file {
namespace {

constexpr std::uint64_t copy_bytes = 256 << 10;
constexpr std::uint64_t glance_bytes = 64 << 10;

// Whatever the page cache shows above the known synced position may be missing on the disk: after a failed sync the
// kernel calls such pages clean. So they are made dirty again before a sync is believed.
base::Result<> write_again(base::File& file, std::uint64_t from, std::uint64_t to) {
  std::string buffer(std::min(copy_bytes, to - from), '\0');
  for (std::uint64_t at = from; at < to; at += buffer.size()) {
    PARLEY_TRY(const std::size_t got, file.read_at(at, std::span(buffer.data(), std::min(buffer.size(), to - at))));
    const std::string_view piece(buffer.data(), got);
    PARLEY_CHECK(file.write_at(at, std::span(&piece, 1)));
  }
  return {};
}

base::Result<> write_id_file(const Options& options, const JournalId& id) {
  const std::string path = options.folder + "/" + std::string(id_name);
  const std::string unfinished = path + std::string(unfinished_suffix);
  PARLEY_TRY(auto file, options.files->open(unfinished, base::OpenMode::create_new));
  const std::string text = write_id(id);
  const std::string_view piece = text;
  PARLEY_CHECK(file->write_at(0, std::span(&piece, 1)));
  PARLEY_CHECK(file->sync_data());
  PARLEY_CHECK(options.files->rename(unfinished, path));
  return options.files->sync_folder(options.folder);
}

// The first segment comes before the id file: where that is, a journal was made and its segments may not be missing.
base::Result<> create(const Options& options, JournalId& id) {
  options.random->fill(id);
  const Fill fill = options.zeros == Zeros::never ? Fill::none : Fill::zeros;
  PARLEY_TRY(auto file, prepare_segment(*options.files, options.folder, Generation(1), options.segment_bytes, fill));
  std::string bytes(header_bytes, '\0');
  write_header(bytes.data(), {format_version, id, Generation(1), options.segment_bytes, root_of(id)});
  const std::string_view piece = bytes;
  PARLEY_CHECK(file->write_at(0, std::span(&piece, 1)));
  PARLEY_CHECK(file->sync_data());
  return write_id_file(options, id);
}

// A creation that was cut short left space without contents; anything else without an id is not ours to overwrite.
base::Result<> check_void(const Options& options, const std::vector<Generation>& segments) {
  for (const Generation generation : segments) {
    const std::string path = segment_path(options.folder, generation);
    PARLEY_TRY(auto file, options.files->open(path, base::OpenMode::read_only));
    PARLEY_TRY(const std::uint64_t size, file->size());
    if (size <= blocks_at) continue;
    PARLEY_TRY(const Rest rest, survey(*file, {}, blocks_at, size));
    if (rest.nonzero_end > blocks_at) return damaged(path, 0, Position(1), "the segment has contents but no header");
  }
  return {};
}

class Recovery {
 public:
  explicit Recovery(const Options& options) : options_(options), files_(*options.files) {}

  base::Result<RecoveredState> run() {
    PARLEY_TRY(Listing listing, list_folder(files_, options_.folder));
    for (const std::string& name : listing.unfinished) PARLEY_CHECK(files_.remove(options_.folder + "/" + name));
    PARLEY_CHECK(establish_id(listing));
    PARLEY_CHECK(look_at_snapshots(listing.snapshots));
    PARLEY_TRY(SegmentTable table, read_segment_table(files_, options_.folder, state_.id, listing.segments));
    state_.segments = std::move(table.begun);
    Segment& newest = state_.segments.back();
    PARLEY_TRY(state_.newest, files_.open(path_of(newest), base::OpenMode::read_write));
    if (newest.seal) {
      PARLEY_CHECK(resume_sealed(newest));
    } else {
      PARLEY_CHECK(resume_open(newest, table.newest_bytes));
    }
    PARLEY_CHECK(take_ready(table.blank));
    PARLEY_CHECK(files_.sync_folder(options_.folder));
    state_.report.head = state_.head;
    state_.report.segments = state_.segments.size();
    return std::move(state_);
  }

 private:
  std::string path_of(const Segment& segment) const { return segment_path(options_.folder, segment.generation); }
  SegmentKey key(Generation generation) const { return key_of(state_.id, generation, !options_.unsafe.skip_checks); }

  base::Result<> establish_id(Listing& listing) {
    PARLEY_TRY(const auto id, find_id(files_, options_.folder, listing));
    if (id) {
      state_.id = *id;
      if (!listing.has_id) PARLEY_CHECK(write_id_file(options_, *id));
      return {};
    }
    PARLEY_CHECK(check_void(options_, listing.segments));
    PARLEY_CHECK(create(options_, state_.id));
    const bool there = !listing.segments.empty() && listing.segments.front() == Generation(1);
    if (!there) listing.segments.insert(listing.segments.begin(), Generation(1));
    state_.report.created = true;
    return {};
  }

  // One that has its name was synced before; what is in it is checked when it is read.
  base::Result<> look_at_snapshots(const std::vector<Position>& positions) {
    for (const Position position : positions) {
      auto info = look_at_snapshot(files_, options_.folder, state_.id, position);
      if (info) {
        state_.snapshots.push_back(*info);
        synced_ = std::max(synced_, position);
      } else if (info.error().code == base::ErrorCode::JOURNAL_DAMAGED) {
        state_.refused.push_back(position);
        state_.report.refused_snapshots.push_back(std::move(info).error());
      } else {
        return std::unexpected(std::move(info).error());
      }
    }
    return {};
  }

  // The crash came between a seal and the next segment's first block.
  base::Result<> resume_sealed(Segment& newest) {
    state_.head = newest.seal->at;
    state_.capacity = newest.end;
    if (synced_ > state_.head.position) return lost(newest, newest.end);
    PARLEY_CHECK(write_again(*state_.newest, 0, blocks_at));
    return state_.newest->sync_data();
  }

  base::Result<> resume_open(Segment& newest, std::uint64_t segment_bytes) {
    synced_ = std::max({synced_, newest.before.position, newest.marked});
    PARLEY_CHECK(scan(newest));
    PARLEY_TRY(const std::uint64_t size, state_.newest->size());
    PARLEY_TRY(const Rest rest, survey(*state_.newest, key(newest.generation), newest.end, size));
    synced_ = std::max(synced_, rest.synced);
    if (synced_ > state_.head.position) return lost(newest, newest.end);

    PARLEY_CHECK(cut(newest, rest.nonzero_end, size, segment_bytes));
    PARLEY_CHECK(make_durable(newest));
    newest.last = state_.head.position;
    return {};
  }

  // Walks the blocks; leaves in `newest.end` where the first bad one would begin.
  base::Result<> scan(Segment& newest) {
    PARLEY_TRY(const std::uint64_t size, state_.newest->size());
    newest.end = std::min(size, blocks_at);
    Chain chain{newest.before};
    if (size > blocks_at) {
      BlockStream stream(*state_.newest, key(newest.generation), blocks_at, size, Bodies::checked);
      while (true) {
        PARLEY_TRY(const Step step, stream.next());
        if (step != Step::block || !chain.follows(stream.block())) break;
        const Block& block = stream.block();
        chain.pass(block);
        Catalog::add_row(newest.index, {block.chained().first(), stream.byte()}, options_.index_bytes);
        newest.end = stream.byte() + block.header().length;
        synced_ = std::max(synced_, block.header().synced);
        // A block vouches for those before it, never for itself.
        while (!unsynced_.empty() && unsynced_.front().last <= synced_) unsynced_.pop_front();
        unsynced_.push_back({block.chained().last(), stream.byte()});
      }
    }
    state_.head = chain.at;
    return {};
  }

  std::unexpected<base::Error> lost(const Segment& segment, std::uint64_t byte) const {
    return damaged(path_of(segment), byte, Position(state_.head.position.value + 1),
                   "no intact block, though position " + std::to_string(synced_.value) + " was synced");
  }

  // What follows the last whole block must never come back: zeros over it, and the segment's own length again.
  base::Result<> cut(Segment& newest, std::uint64_t nonzero_end, std::uint64_t size, std::uint64_t segment_bytes) {
    const std::uint64_t end = newest.end;
    const bool longer = size > segment_bytes;
    if (nonzero_end > end || longer) {
      const std::uint64_t bytes = (longer ? size : nonzero_end) - end;
      state_.report.cut = Cut{path_of(newest), end, bytes, state_.head.position};
    }
    if (longer) PARLEY_CHECK(state_.newest->truncate(segment_bytes));
    if (nonzero_end > end) PARLEY_CHECK(state_.newest->write_zeros(end, std::min(nonzero_end, segment_bytes)));
    state_.capacity = segment_bytes;
    if (size < segment_bytes && !state_.newest->allocate(segment_bytes))
      state_.capacity = size;  // no space: rolls soon
    newest.end = std::max(end, blocks_at);
    return {};
  }

  base::Result<> make_durable(const Segment& newest) {
    const bool nothing_known = synced_ <= newest.before.position;
    if (nothing_known && state_.segments.size() > 1) {
      const Segment& before = state_.segments[state_.segments.size() - 2];
      PARLEY_TRY(auto file, files_.open(path_of(before), base::OpenMode::read_write));
      PARLEY_CHECK(write_again(*file, 0, blocks_at));
      PARLEY_CHECK(file->sync_data());
    }
    if (nothing_known) PARLEY_CHECK(write_again(*state_.newest, 0, blocks_at));
    if (!unsynced_.empty()) PARLEY_CHECK(write_again(*state_.newest, unsynced_.front().byte, newest.end));
    return state_.newest->sync_data();
  }

  // Files that were made ready are used again where they are whole and untouched; from the first that is not, they
  // are made anew in place.
  base::Result<> take_ready(const std::vector<Generation>& blank) {
    bool in_order = true;
    for (const Generation generation : blank) {
      const std::string path = segment_path(options_.folder, generation);
      PARLEY_TRY(auto file, files_.open(path, base::OpenMode::read_write));
      PARLEY_TRY(const std::uint64_t size, file->size());
      PARLEY_TRY(const Rest rest, survey_blank(*file, generation, size));
      if (rest.synced > state_.head.position) {
        return damaged(path, 0, Position(state_.head.position.value + 1), "the segment has lost its header");
      }
      if (rest.blocks > 0 && !state_.report.cut) {
        state_.report.cut = Cut{path, 0, rest.nonzero_end, state_.head.position};
      }
      in_order = in_order && size == options_.segment_bytes && rest.nonzero_end == 0;
      if (in_order) state_.ready.push_back({generation, std::move(file)});
    }
    return {};
  }

  // A segment that was begun has a header and a block right at its front, or lost them by damage to one of the two;
  // so a void front is enough to know that there is nothing behind it.
  base::Result<Rest> survey_blank(base::File& file, Generation generation, std::uint64_t size) {
    PARLEY_TRY(const Rest front, survey(file, key(generation), 0, std::min(size, glance_bytes)));
    if (front.nonzero_end == 0) return front;
    return survey(file, key(generation), 0, size);
  }

  struct Unsynced {
    Position last;
    std::uint64_t byte;
  };

  const Options& options_;
  base::FileSystem& files_;
  RecoveredState state_;
  Position synced_;                // the highest position that anything says was synced
  std::deque<Unsynced> unsynced_;  // blocks that no later one vouches for, at least the last
};

}  // namespace

base::Result<RecoveredState> recover(const Options& options) {
  return Recovery(options).run();
}

}  // namespace parley::journal::file
