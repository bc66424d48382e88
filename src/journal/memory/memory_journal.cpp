#include "journal/memory/memory_journal.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/assert.hpp"
#include "journal/chained.hpp"

namespace parley::journal::memory {
namespace {

struct Block {
  std::string bytes;  // the chained part; what Chained views
  std::vector<std::string> bodies;
  std::vector<BodyKind> kinds;

  Chained chained() const { return *Chained::of(bytes); }
};

struct Snapshot {
  SnapshotInfo info;
  std::string bytes;
};

// What the journal shares with its readers and snapshot writers on other threads.
class Store {
 public:
  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return blocks_.size();
  }
  std::shared_ptr<const Block> block(std::size_t index) const {
    const std::scoped_lock lock(mutex_);
    return blocks_[index];
  }
  // The block that holds the position; count() where none does.
  std::size_t find(Position position) const {
    const std::scoped_lock lock(mutex_);
    const auto found = std::upper_bound(firsts_.begin(), firsts_.end(), position);
    const bool none = found == firsts_.begin() || position > last_;
    return none ? blocks_.size() : static_cast<std::size_t>(found - firsts_.begin()) - 1;
  }
  void add(std::shared_ptr<const Block> block, Position first, Position last) {
    const std::scoped_lock lock(mutex_);
    blocks_.push_back(std::move(block));
    firsts_.push_back(first);
    last_ = last;
  }
  void add(std::shared_ptr<const Snapshot> snapshot) {
    const std::scoped_lock lock(mutex_);
    snapshots_.insert(snapshots_.begin(), std::move(snapshot));
    if (snapshots_.size() > 2) snapshots_.pop_back();
  }
  std::vector<std::shared_ptr<const Snapshot>> snapshots() const {
    const std::scoped_lock lock(mutex_);
    return snapshots_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Block>> blocks_;
  std::vector<Position> firsts_;
  Position last_;
  std::vector<std::shared_ptr<const Snapshot>> snapshots_;  // newest first
};

std::unexpected<base::Error> not_found(Position position, const char* what) {
  return base::fail(base::ErrorCode::NOT_FOUND, what, "position " + std::to_string(position.value));
}

class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

  base::Result<> read(Position from, const EntryVisitor& visit) override {
    const std::size_t end = store_->count();
    for (std::size_t i = store_->find(std::max(from, Position(1))); i < end; ++i) {
      PARLEY_TRY(const Visit then, visit_block(*store_->block(i), from, visit));
      if (then == Visit::stop) break;
    }
    return {};
  }

  base::Result<> event(Position position, std::string& into) override {
    PARLEY_TRY(const auto block, block_of(position));
    const Chained chained = block->chained();
    into.assign(chained.event(chained.index_of(position)));
    return {};
  }

  base::Result<> body(Position position, std::string& into) override {
    PARLEY_TRY(const auto block, block_of(position));
    const std::uint32_t i = block->chained().index_of(position);
    if (block->kinds[i] != BodyKind::kept) return not_found(position, "the record has no native bytes");
    into.assign(block->bodies[i]);
    return {};
  }

  std::uint64_t bytes_read() const override { return 0; }

 private:
  base::Result<std::shared_ptr<const Block>> block_of(Position position) const {
    const std::size_t index = store_->find(position);
    if (index == store_->count()) return not_found(position, "no such position");
    return store_->block(index);
  }

  static base::Result<Visit> visit_block(const Block& block, Position from, const EntryVisitor& visit) {
    const Chained chained = block.chained();
    std::string_view events = chained.events();
    for (std::uint32_t i = 0; i < chained.count(); ++i) {
      const Position position(chained.first().value + i);
      const std::string_view event = events.substr(0, chained.event_length(i));
      events.remove_prefix(event.size());
      if (position < from) continue;
      PARLEY_TRY(const Visit then, visit({position, chained.engine_time(), event, block.kinds[i],
                                          chained.body_length(i), chained.body_hash(i)}));
      if (then == Visit::stop) return then;
    }
    return Visit::next;
  }

  std::shared_ptr<const Store> store_;
};

class MemorySnapshotReader final : public SnapshotReader {
 public:
  explicit MemorySnapshotReader(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)), left_(snapshot_->bytes) {}

  base::Result<std::string_view> next() override { return std::exchange(left_, {}); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::string_view left_;
};

class MemorySnapshot final : public SnapshotWriter {
 public:
  MemorySnapshot(std::shared_ptr<Store> store, const Head& at) : store_(std::move(store)) { snapshot_.info.at = at; }

  base::Result<> write(std::string_view bytes) override {
    snapshot_.bytes.append(bytes);
    return {};
  }
  base::Result<> commit() override {
    snapshot_.info.bytes = snapshot_.bytes.size();
    store_->add(std::make_shared<const Snapshot>(std::move(snapshot_)));
    return {};
  }

 private:
  std::shared_ptr<Store> store_;
  Snapshot snapshot_;
};

class MemoryJournal final : public Journal {
 public:
  explicit MemoryJournal(const Options& options) : options_(options) { head_.chain = options.root; }

  base::Result<Ticket> append(std::span<const Record> records, base::Instant engine_time) override {
    PARLEY_ASSERT(!records.empty());
    auto block = std::make_shared<Block>();
    const std::size_t chained = chained_bytes(records);
    std::uint64_t bytes = chained;
    for (const Record& record : records) {
      block->kinds.push_back(record.has_body ? BodyKind::kept : BodyKind::none);
      block->bodies.emplace_back(record.has_body ? record.body : std::string_view());
      bytes += block->bodies.back().size();
    }
    if (bytes > options_.block_bytes_max) {
      return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE, "a block of " + std::to_string(bytes) + " bytes");
    }
    if (bytes > options_.capacity_bytes - used_) {
      return base::fail(base::ErrorCode::STORAGE_FULL, "the journal in memory is at its capacity");
    }
    const Position first(head_.position.value + 1);
    block->bytes.reserve(chained);
    block->bytes.resize(chained_head_bytes(records));
    write_chained_head(block->bytes.data(), records, {options_.term, first, engine_time, head_.chain});
    for (const Record& record : records) block->bytes += record.event;
    head_ = {Position(head_.position.value + records.size()), engine_time, base::sha256(block->bytes)};
    used_ += bytes;
    store_->add(std::move(block), first, head_.position);
    return Ticket{first, head_.position};
  }

  void poll(Outcomes& outcomes) override {
    if (told_ == head_.position) return;
    told_ = head_.position;
    outcomes.durable_up_to(told_);
  }
  void tick() override {}

  using Journal::room_for;
  Room room_for(std::uint64_t bytes, Need need) override {
    const std::uint64_t left = options_.capacity_bytes - used_;
    return left >= bytes && left - bytes >= kept_back(options_.reserve_bytes, need) ? Room::enough : Room::full;
  }
  std::uint64_t block_bytes_max() const override { return options_.block_bytes_max; }
  Head head() const override { return head_; }
  Position durable_head() const override { return head_.position; }

  std::unique_ptr<Reader> reader() override { return std::make_unique<MemoryReader>(store_); }

  base::Result<std::unique_ptr<SnapshotWriter>> begin_snapshot() override {
    return std::make_unique<MemorySnapshot>(store_, head_);
  }
  std::vector<SnapshotInfo> snapshots() const override {
    std::vector<SnapshotInfo> infos;
    for (const auto& snapshot : store_->snapshots()) infos.push_back(snapshot->info);
    return infos;
  }
  base::Result<std::unique_ptr<SnapshotReader>> read_snapshot(const SnapshotInfo& wanted) override {
    for (const auto& snapshot : store_->snapshots()) {
      if (snapshot->info.at == wanted.at) return std::make_unique<MemorySnapshotReader>(snapshot);
    }
    return not_found(wanted.at.position, "no such snapshot");
  }
  base::Result<> close() override { return {}; }

 private:
  const Options options_;
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
  Head head_;
  Position told_;
  std::uint64_t used_ = 0;
};

}  // namespace

std::unique_ptr<Journal> open(const Options& options) {
  return std::make_unique<MemoryJournal>(options);
}

}  // namespace parley::journal::memory
