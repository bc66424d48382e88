#include "journal/file/file_journal.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "journal/file/block.hpp"
#include "journal/file/catalog.hpp"
#include "journal/file/reader.hpp"
#include "journal/file/recovery.hpp"
#include "journal/file/snapshot_file.hpp"
#include "journal/file/space.hpp"

namespace parley::journal::file {
namespace {

// A block on its way to the disk: one write and one sync. Without a block it syncs alone.
class BlockStoring final : public Storing {
 public:
  struct Place {
    Position first;
    std::uint64_t at = 0, end = 0;  // in its segment
    std::uint64_t padding = 0;      // zeros behind it, up to the end of its page or segment
  };
  BlockStoring(BlockWriter& writer, bool skip_sync) : writer_(writer), skip_sync_(skip_sync) {}

  void begin(base::File& file) { file_ = &file; }
  // A new segment's header page goes with its first block: the space in between is zeros.
  void begin(base::File& file, const Place& place, std::string_view header) {
    file_ = &file;
    place_ = place;
    header_ = header;
  }
  // Which block it was, if any.
  std::optional<Place> end() { return std::exchange(place_, std::nullopt); }

  base::Result<> write() override {
    if (!place_) return {};
    writer_.seal();
    pieces_.clear();
    if (!header_.empty()) pieces_.push_back(header_);
    pieces_.insert(pieces_.end(), writer_.pieces().begin(), writer_.pieces().end());
    pieces_.push_back(std::string_view(zeros_).substr(0, place_->padding));
    const std::uint64_t from = header_.empty() ? place_->at : 0;
    PARLEY_CHECK(file_->write_at(from, pieces_));
    if (!skip_sync_) PARLEY_CHECK(file_->begin_sync(from, place_->end + place_->padding));
    writer_.link();  // while the disk is busy
    return {};
  }
  base::Result<> sync() override { return skip_sync_ ? base::Result<>() : file_->sync_data(); }

 private:
  BlockWriter& writer_;
  const bool skip_sync_;
  base::File* file_ = nullptr;
  std::optional<Place> place_;
  std::string_view header_;
  const std::string zeros_ = std::string(base::page_bytes, '\0');
  std::vector<std::string_view> pieces_;
};

// A sync into zeros takes some 80 µs less, and making them some 100 ms of the disk's time a segment.
constexpr std::uint64_t zeros_worth_bytes = 256 << 10;  // of a block, on average, at most

// The file alone could be deleted under a server, and another made in its place; of folders some file systems know no
// locks.
struct FolderLocks {
  std::unique_ptr<base::FileLock> file, folder;
};

base::Result<FolderLocks> take_locks(const Options& options) {
  PARLEY_TRY(auto file, options.files->lock(options.folder + "/" + std::string(lock_name)));
  PARLEY_TRY(auto folder, options.files->lock_folder(options.folder));
  return FolderLocks{std::move(file), std::move(folder)};
}

class FileJournal final : public Journal {
 public:
  FileJournal(Options options, FolderLocks locks, RecoveredState state)
      : options_(std::move(options)),
        locks_(std::move(locks)),
        syncer_(options_.syncer != nullptr ? *options_.syncer : own_syncer_),
        id_(state.id),
        index_reserve_((options_.segment_bytes / options_.index_bytes + 2) * index_row_bytes),
        segment_room_(options_.segment_bytes - blocks_at - index_reserve_),
        snapshots_(std::move(state.snapshots)),
        refused_(std::move(state.refused)),
        catalog_(std::make_shared<Catalog>(options_.index_bytes)),
        space_(*options_.files, options_.folder, options_.segment_bytes, segments_ahead(), *options_.worker) {
    resume(std::move(state));
  }

  ~FileJournal() override {
    if (syncing_) (void)syncer_.wait();  // the file stays until all is stored
  }

  base::Result<Ticket> append(std::span<const Record> records, base::Instant engine_time) override {
    PARLEY_ASSERT(!records.empty() && !closed_);
    if (failure_) return std::unexpected(*failure_);
    const std::uint64_t bytes = BlockWriter::bytes_of(records);
    if (bytes > segment_room_) {
      return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE,
                        "a block of " + std::to_string(bytes) + " bytes; at most " + std::to_string(segment_room_));
    }
    PARLEY_CHECK(settle());
    if (bytes > left()) PARLEY_CHECK(roll());
    return append_block(records, bytes, engine_time);
  }

  void poll(Outcomes& outcomes) override {
    refill();
    (void)take_outcome();  // a failure is told below
    if (told_ < durable_) {
      told_ = durable_;
      outcomes.durable_up_to(told_);
    }
    if (failure_ && !failure_told_) {
      failure_told_ = true;
      outcomes.ended(Outcome::failed, *failure_);
    }
  }

  void tick() override {
    space_.retry();
    refill();
    if (!syncing_) (void)mark();  // a failure is told by poll()
  }

  using Journal::room_for;
  Room room_for(std::uint64_t bytes, Need need) override {
    const std::uint64_t ready = space_.ready() * segment_room_;
    const std::uint64_t usable = bytes <= left() ? left() + ready : ready;
    if (usable >= bytes + kept_back(options_.reserve_bytes, need)) return Room::enough;
    if (failure_) return Room::full;
    if (space_.state() != Space::State::refused) return Room::soon;
    return space_.error().code == base::ErrorCode::STORAGE_FULL ? Room::full : Room::later;
  }

  std::uint64_t block_bytes_max() const override { return segment_room_; }
  Head head() const override { return head_; }
  Position durable_head() const override { return durable_; }

  std::unique_ptr<Reader> reader() override { return make_reader(); }

  base::Result<std::unique_ptr<SnapshotWriter>> begin_snapshot() override {
    PARLEY_CHECK(settle());
    return write_snapshot(*options_.files, options_.folder, id_, head_, refused_);
  }

  std::vector<SnapshotInfo> snapshots() const override { return snapshots_; }

  base::Result<std::unique_ptr<SnapshotReader>> read_snapshot(const SnapshotInfo& snapshot) override {
    return read_snapshot_file(*options_.files, options_.folder, id_, snapshot.at.position);
  }

  base::Result<> close() override {
    closed_ = true;
    if (!failure_) PARLEY_CHECK(settle());
    return mark();
  }

  // Keeps the snapshots that continue into this history; the others are told of.
  base::Result<> compare_snapshots(std::vector<base::Error>& refused) {
    std::vector<SnapshotInfo> kept;
    for (const SnapshotInfo& snapshot : snapshots_) {
      PARLEY_TRY(const bool fits, is_of_this_history(snapshot.at));
      if (fits) {
        kept.push_back(snapshot);
        continue;
      }
      refused_.push_back(snapshot.at.position);
      refused.push_back(damaged(options_.folder + "/" + snapshot_name(snapshot.at.position), 0, snapshot.at.position,
                                "the snapshot is of another history")
                            .error());
    }
    snapshots_ = std::move(kept);
    return {};
  }

 private:
  void resume(RecoveredState state) {
    const Segment& newest = state.segments.back();
    file_ = std::move(state.newest);
    key_ = key_of(id_, newest.generation);
    next_byte_ = counted_from_ = newest.end;
    limit_ = std::max(next_byte_, state.capacity - std::min(state.capacity, index_reserve_));
    sealed_ = newest.seal.has_value();
    head_ = state.head;
    durable_ = told_ = head_.position;
    space_.continue_after(Generation(newest.generation.value + state.ready.size()));
    for (ReadySegment& segment : state.ready) space_.add(std::move(segment));
    catalog_->open(std::move(state.segments), head_);
    refill();
  }

  std::size_t segments_ahead() const { return (options_.reserve_bytes + segment_room_ - 1) / segment_room_ + 1; }
  std::uint64_t left() const { return limit_ - next_byte_; }

  void refill() {
    std::size_t before = 0;
    do {  // an inline worker makes one each time
      before = space_.ready();
      space_.refill(fill_);
    } while (space_.ready() > before);
    if (space_.state() == Space::State::failed && !failure_) (void)stop(space_.error());
  }

  std::unexpected<base::Error> stop(base::Error why) {
    why.code = base::ErrorCode::JOURNAL_FAILED;  // in ready space even a full disk is a failure
    failure_ = std::move(why);
    return std::unexpected(*failure_);
  }

  base::Result<Ticket> append_block(std::span<const Record> records, std::uint64_t bytes, base::Instant engine_time) {
    const Position first(head_.position.value + 1);
    PARLEY_ASSERT(next_byte_ + bytes <= limit_);
    writer_.write(records, {options_.term, first, engine_time, head_.chain}, key_, head_.position);
    head_ = {Position(head_.position.value + records.size()), engine_time, {}};
    unmarked_ = true;
    const std::uint64_t end = next_byte_ + bytes;
    block_.begin(*file_, {first, next_byte_, end, padding_behind(end)},
                 std::exchange(header_due_, false) ? std::string_view(header_page_) : std::string_view());
    next_byte_ = end;
    ++blocks_;
    next_is_late_ |= next_byte_ > limit_ / 2 && space_.state() == Space::State::making;
    PARLEY_CHECK(begin(block_, bytes));  // where it is stored by now and that failed, nothing of it is told
    return Ticket{first, head_.position};
  }

  // A page that is written whole need not be read first: what was made ready is not in the page cache.
  std::uint64_t padding_behind(std::uint64_t end) const {
    const std::uint64_t over = end % base::page_bytes;
    return over == 0 ? 0 : std::min(base::page_bytes - over, limit_ + index_reserve_ - end);
  }

  base::Result<> begin(Storing& what, std::uint64_t bytes) {
    syncer_.begin(what, bytes);
    syncing_ = true;
    return take_outcome();
  }

  // Of what is being stored, if there is anything and it has ended.
  base::Result<> take_outcome() {
    if (!syncing_) return {};
    auto outcome = syncer_.outcome();
    return outcome ? ended(std::move(*outcome)) : base::Result<>();
  }

  // Nothing is under way afterwards, and nothing failed.
  base::Result<> settle() {
    if (failure_) return std::unexpected(*failure_);
    return syncing_ ? ended(syncer_.wait()) : base::Result<>();
  }

  base::Result<> ended(base::Result<> stored) {
    syncing_ = false;
    if (!stored) return stop(std::move(stored).error());
    if (const auto block = block_.end()) {
      head_.chain = writer_.chain();
      catalog_->extend(head_, block->first, block->at, block->end);
    }
    durable_ = head_.position;
    return {};
  }

  base::Result<> sync() {
    block_.begin(*file_);  // of what was written beside the blocks
    PARLEY_CHECK(begin(block_, 0));
    return settle();
  }

  // Says on the disk that all up to the head was synced. Nothing is under way.
  base::Result<> mark() {
    if (failure_ || !std::exchange(unmarked_, false)) return {};
    char bytes[mark_bytes];
    write_mark(bytes, head_.position, key_);
    const std::string_view piece(bytes, sizeof bytes);
    if (auto written = file_->write_at(mark_at, std::span(&piece, 1)); !written)
      return stop(std::move(written).error());
    return sync();
  }

  // Seals the segment and goes on in the next one, which was made ready before.
  base::Result<> roll() {
    auto next = space_.take(fill_);
    if (!next && space_.state() == Space::State::failed) return stop(space_.error());
    if (!next) {
      return base::fail(base::ErrorCode::STORAGE_FULL, "no segment could be made ready: " + space_.error().message,
                        options_.folder);
    }
    if (!sealed_) PARLEY_CHECK(write_seal_and_index());
    auto sealed = std::exchange(file_, std::move(next->file));
    key_ = key_of(id_, next->generation);
    next_byte_ = counted_from_ = blocks_at;
    limit_ = blocks_at + segment_room_;
    sealed_ = false;
    header_page_.assign(blocks_at, '\0');
    write_header(header_page_.data(), {format_version, id_, next->generation, options_.segment_bytes, head_});
    header_due_ = true;
    catalog_->begin({next->generation, head_, head_.position, blocks_at, {}, {}, {}});
    refill();
    retire(std::move(sealed));  // behind the next segment, which may be waited for
    return {};
  }

  // What was written last may be read soon; what was sealed before leaves the system's memory to what comes. Where a
  // host gives memory on first use, pages that were used a moment ago cost a write less than others.
  void retire(std::unique_ptr<base::File> sealed) {
    const std::shared_ptr<base::File> older = std::exchange(retired_, std::move(sealed));
    if (older) options_.worker->give([older] { older->uncache(); });
  }

  base::Result<> write_seal_and_index() {
    const std::vector<IndexRow> rows = catalog_->newest_index();
    const std::string index = write_index(rows);
    const Seal seal{key_.generation, head_, next_byte_, static_cast<std::uint32_t>(rows.size()), base::crc32c(index)};
    std::string bytes(seal_bytes, '\0');
    write_seal(bytes.data(), seal, key_);
    for (const auto& [at, piece] :
         {std::pair{next_byte_, std::string_view(index)}, {seal_at, std::string_view(bytes)}}) {
      if (auto written = file_->write_at(at, std::span(&piece, 1)); !written) return stop(std::move(written).error());
    }
    PARLEY_CHECK(sync());
    catalog_->seal(seal);
    choose_fill();
    return {};
  }

  // Zeros double the bytes written: worth it where many syncs gain by them, and while the disk has time.
  void choose_fill() {
    const bool few_syncs = next_byte_ - counted_from_ > std::exchange(blocks_, 0) * zeros_worth_bytes;
    const bool busy = std::exchange(next_is_late_, false);
    const bool none = options_.zeros == Zeros::by_load ? busy || few_syncs : options_.zeros == Zeros::never;
    fill_ = none ? Fill::none : Fill::zeros;
  }

  std::unique_ptr<FileReader> make_reader() {
    return std::make_unique<FileReader>(ReaderSetup{options_.files, options_.folder, id_, catalog_,
                                                    options_.reader_cache_bytes, !options_.unsafe.skip_checks});
  }

  base::Result<bool> is_of_this_history(const Head& at) {
    if (at.position == head_.position) return at.chain == head_.chain;
    PARLEY_TRY(const auto chain, make_reader()->chain_before(Position(at.position.value + 1)));
    return chain == at.chain;
  }

  Options options_;
  FolderLocks locks_;
  InlineSyncer own_syncer_;
  Syncer& syncer_;
  const JournalId id_;
  const std::uint64_t index_reserve_;  // bytes kept free behind the blocks of each segment
  const std::uint64_t segment_room_;   // bytes for blocks in a fresh segment
  std::vector<SnapshotInfo> snapshots_;
  std::vector<Position> refused_;  // snapshots that are none of this journal's
  std::shared_ptr<Catalog> catalog_;
  Space space_;
  Fill fill_ = Fill::zeros;

  std::unique_ptr<base::File> file_;     // the segment that is written
  std::unique_ptr<base::File> retired_;  // the one before, since it was sealed
  SegmentKey key_;
  std::uint64_t next_byte_ = 0;  // where its next block goes
  std::uint64_t limit_ = 0;      // where its blocks must end
  bool sealed_ = false;
  std::uint64_t counted_from_ = 0, blocks_ = 0;  // since that byte
  bool next_is_late_ = false;                    // it was half full, and the next one still being made ready
  std::string header_page_;
  bool header_due_ = false;

  Head head_;
  Position durable_;      // all up to it is synced; the head's, but for a block that is being stored or failed
  bool syncing_ = false;  // a block is being stored, or its outcome not taken yet
  BlockWriter writer_;
  BlockStoring block_{writer_, options_.unsafe.skip_sync};
  bool unmarked_ = false;  // no mark says yet that the last block was synced
  bool closed_ = false;

  Position told_;
  std::optional<base::Error> failure_;
  bool failure_told_ = false;
};

}  // namespace

base::Result<Opened> open(Options options) {
  PARLEY_ASSERT(options.files != nullptr && options.random != nullptr);
  PARLEY_ASSERT(options.segment_bytes % 8 == 0 && options.segment_bytes >= 2 * blocks_at);
  PARLEY_CHECK(options.files->make_folder(options.folder));
  PARLEY_TRY(FolderLocks locks, take_locks(options));
  PARLEY_TRY(RecoveredState state, recover(options));
  Recovered recovered = std::move(state.report);
  if (!options.worker) options.worker = thread_worker();
  auto journal = std::make_unique<FileJournal>(std::move(options), std::move(locks), std::move(state));
  PARLEY_CHECK(journal->compare_snapshots(recovered.refused_snapshots));
  return Opened{std::move(journal), std::move(recovered)};
}

}  // namespace parley::journal::file
