#include "journal/file/snapshot_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

constexpr std::string_view magic = "parleyN\x01";
constexpr std::string_view prefix = "snapshot-";
constexpr std::size_t head_bytes = 96;
constexpr std::size_t chunk_front_bytes = 8;
constexpr std::size_t end_bytes = 16;
constexpr std::size_t chunk_bytes = 256 << 10;
constexpr std::size_t kept = 2;

// 0 magic │ 8 u32 CRC of what follows │ 12 u32 version │ 16 id │ 32 u64 position │ 40 i64 engine time │ 48 chain │ 80 0
std::string head_of(const JournalId& id, const Head& at) {
  std::string bytes(head_bytes, '\0');
  char* to = bytes.data();
  std::memcpy(to, magic.data(), magic.size());
  store(to + 12, format_version);
  std::memcpy(to + 16, id.data(), id.size());
  store(to + 32, at.position.value);
  store(to + 40, static_cast<std::int64_t>(base::unix_us(at.engine_time)));
  std::memcpy(to + 48, at.chain.data(), at.chain.size());
  store(to + 8, base::crc32c({to + 12, head_bytes - 12}));
  return bytes;
}

class FileSnapshot final : public SnapshotWriter {
 public:
  FileSnapshot(base::FileSystem& files, std::string folder, std::string name, std::unique_ptr<base::File> file,
               std::vector<Position> refused)
      : files_(files),
        folder_(std::move(folder)),
        name_(std::move(name)),
        file_(std::move(file)),
        refused_(std::move(refused)) {}

  ~FileSnapshot() override {
    if (!committed_) (void)files_.remove(unfinished());  // what stays behind is removed at the next start
  }

  base::Result<> begin(std::string_view head) {
    crc_ = load<std::uint32_t>(head.data() + 8);
    return put(head);
  }

  base::Result<> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), chunk_bytes - buffer_.size());
      buffer_.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (buffer_.size() == chunk_bytes) PARLEY_CHECK(put_chunk());
    }
    return {};
  }

  base::Result<> commit() override {
    PARLEY_CHECK(put_chunk());
    char end[end_bytes];
    store(end, std::uint32_t{0});
    store(end + 8, total_);
    store(end + 4, base::crc32c({end + 8, 8}, crc_));
    PARLEY_CHECK(put({end, sizeof end}));
    PARLEY_CHECK(file_->sync_data());
    PARLEY_CHECK(files_.rename(unfinished(), folder_ + "/" + name_));
    committed_ = true;
    PARLEY_CHECK(files_.sync_folder(folder_));
    return remove_older();
  }

 private:
  std::string unfinished() const { return folder_ + "/" + name_ + std::string(unfinished_suffix); }

  base::Result<> put(std::string_view bytes) {
    PARLEY_CHECK(file_->write_at(at_, std::span(&bytes, 1)));
    at_ += bytes.size();
    return {};
  }

  // u32 length │ u32 CRC of all contents up to here │ bytes
  base::Result<> put_chunk() {
    if (buffer_.empty()) return {};
    crc_ = base::crc32c(buffer_, crc_);
    char front[chunk_front_bytes];
    store(front, static_cast<std::uint32_t>(buffer_.size()));
    store(front + 4, crc_);
    PARLEY_CHECK(put({front, sizeof front}));
    PARLEY_CHECK(put(buffer_));
    total_ += buffer_.size();
    buffer_.clear();
    return {};
  }

  base::Result<> remove_older() {
    PARLEY_TRY(const auto names, files_.list(folder_));
    std::vector<std::string> snapshots;
    for (const std::string& name : names) {
      const auto position = snapshot_position(name);
      if (position && std::ranges::find(refused_, *position) != refused_.end() && name != name_)
        PARLEY_CHECK(files_.remove(folder_ + "/" + name));
      else if (position)
        snapshots.push_back(name);
    }
    for (std::size_t i = 0; i + kept < snapshots.size(); ++i) PARLEY_CHECK(files_.remove(folder_ + "/" + snapshots[i]));
    return {};
  }

  base::FileSystem& files_;
  const std::string folder_;
  const std::string name_;
  std::unique_ptr<base::File> file_;
  const std::vector<Position> refused_;
  std::string buffer_;
  std::uint64_t at_ = 0;
  std::uint64_t total_ = 0;
  std::uint32_t crc_ = 0;
  bool committed_ = false;
};

// One whose ends are as written.
struct SnapshotFile {
  std::string path;
  std::unique_ptr<base::File> file;
  SnapshotInfo info;
  std::uint32_t crc = 0;  // of the header
};

std::uint64_t file_bytes(std::uint64_t contents) {
  const std::uint64_t chunks = (contents + chunk_bytes - 1) / chunk_bytes;
  return head_bytes + contents + chunks * chunk_front_bytes + end_bytes;
}

base::Result<SnapshotFile> open_snapshot(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                         Position position) {
  SnapshotFile opened{folder + "/" + snapshot_name(position), {}, {}, 0};
  PARLEY_TRY(opened.file, files.open(opened.path, base::OpenMode::read_only));
  PARLEY_TRY(const std::uint64_t size, opened.file->size());
  std::string head(head_bytes, '\0');
  PARLEY_TRY(const std::size_t got, opened.file->read_at(0, head));
  Head& at = opened.info.at;
  at.position = position;
  if (got == head_bytes) {
    at.engine_time = base::instant_of(load<std::int64_t>(head.data() + 40));
    std::memcpy(at.chain.data(), head.data() + 48, at.chain.size());
  }
  if (head != head_of(id, at)) return damaged(opened.path, 0, position, "the snapshot's header is not as written");
  opened.crc = load<std::uint32_t>(head.data() + 8);

  char end[end_bytes];
  if (size >= head_bytes + end_bytes) {
    PARLEY_CHECK(opened.file->read_at(size - end_bytes, end));
    opened.info.bytes = load<std::uint64_t>(end + 8);
  }
  const bool whole = opened.info.bytes < size && file_bytes(opened.info.bytes) == size;
  if (!whole) return damaged(opened.path, size, position, "the snapshot's end is not as written");
  return opened;
}

class FileSnapshotReader final : public SnapshotReader {
 public:
  explicit FileSnapshotReader(SnapshotFile opened) : snapshot_(std::move(opened)), crc_(snapshot_.crc) {}

  base::Result<std::string_view> next() override {
    char front[chunk_front_bytes];
    PARLEY_TRY(const std::size_t got, snapshot_.file->read_at(at_, front));
    const auto length = load<std::uint32_t>(front);
    if (got < chunk_front_bytes || length > chunk_bytes) return bad("a chunk's length is not as written");
    const bool is_end = length == 0;
    buffer_.resize(is_end ? end_bytes - chunk_front_bytes : length);
    PARLEY_TRY(const std::size_t filled, snapshot_.file->read_at(at_ + chunk_front_bytes, buffer_));
    crc_ = base::crc32c(std::string_view(buffer_).substr(0, filled), crc_);
    if (filled < buffer_.size() || crc_ != load<std::uint32_t>(front + 4))
      return bad("a chunk's checksum does not fit");
    if (is_end) return read_ == snapshot_.info.bytes ? base::Result<std::string_view>() : bad("a chunk is missing");
    read_ += length;
    at_ += chunk_front_bytes + length;
    return buffer_;
  }

 private:
  std::unexpected<base::Error> bad(const std::string& what) const {
    return damaged(snapshot_.path, at_, snapshot_.info.at.position, what);
  }

  SnapshotFile snapshot_;
  std::string buffer_;
  std::uint64_t at_ = head_bytes;
  std::uint64_t read_ = 0;
  std::uint32_t crc_;
};

}  // namespace

std::string snapshot_name(Position position) {
  const std::string digits = std::to_string(position.value);
  return std::string(prefix) + std::string(20 - digits.size(), '0') + digits;
}

std::optional<Position> snapshot_position(std::string_view file_name) {
  if (!file_name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = file_name.substr(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (snapshot_name(Position(number)) != file_name) return std::nullopt;
  return Position(number);
}

base::Result<std::unique_ptr<SnapshotWriter>> write_snapshot(base::FileSystem& files, const std::string& folder,
                                                             const JournalId& id, const Head& at,
                                                             std::vector<Position> refused) {
  const std::string name = snapshot_name(at.position);
  const std::string path = folder + "/" + name + std::string(unfinished_suffix);
  auto file = files.open(path, base::OpenMode::create_new);
  if (!file) {  // an earlier one that was given up
    (void)files.remove(path);
    file = files.open(path, base::OpenMode::create_new);
  }
  if (!file) return std::unexpected(std::move(file).error());
  auto writer = std::make_unique<FileSnapshot>(files, folder, name, std::move(*file), std::move(refused));
  PARLEY_CHECK(writer->begin(head_of(id, at)));
  return writer;
}

base::Result<SnapshotInfo> look_at_snapshot(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                            Position position) {
  PARLEY_TRY(const SnapshotFile opened, open_snapshot(files, folder, id, position));
  return opened.info;
}

base::Result<SnapshotInfo> check_snapshot(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                          Position position) {
  PARLEY_TRY(SnapshotFile opened, open_snapshot(files, folder, id, position));
  const SnapshotInfo info = opened.info;
  FileSnapshotReader reader(std::move(opened));
  while (true) {
    PARLEY_TRY(const std::string_view chunk, reader.next());
    if (chunk.empty()) return info;
  }
}

base::Result<std::unique_ptr<SnapshotReader>> read_snapshot_file(base::FileSystem& files, const std::string& folder,
                                                                 const JournalId& id, Position position) {
  PARLEY_TRY(SnapshotFile opened, open_snapshot(files, folder, id, position));
  return std::make_unique<FileSnapshotReader>(std::move(opened));
}

}  // namespace parley::journal::file
