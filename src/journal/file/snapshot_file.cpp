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
constexpr std::size_t frame_head_bytes = 8;
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
  FileSnapshot(base::FileSystem& files, std::string folder, std::string name, std::unique_ptr<base::File> file)
      : files_(files), folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)) {}

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
    char frame[frame_head_bytes];
    store(frame, static_cast<std::uint32_t>(buffer_.size()));
    store(frame + 4, crc_);
    PARLEY_CHECK(put({frame, sizeof frame}));
    PARLEY_CHECK(put(buffer_));
    total_ += buffer_.size();
    buffer_.clear();
    return {};
  }

  base::Result<> remove_older() {
    PARLEY_TRY(const auto names, files_.list(folder_));
    std::vector<std::string> snapshots;
    for (const std::string& name : names) {
      if (snapshot_position(name)) snapshots.push_back(name);
    }
    for (std::size_t i = 0; i + kept < snapshots.size(); ++i) PARLEY_CHECK(files_.remove(folder_ + "/" + snapshots[i]));
    return {};
  }

  base::FileSystem& files_;
  const std::string folder_;
  const std::string name_;
  std::unique_ptr<base::File> file_;
  std::string buffer_;
  std::uint64_t at_ = 0;
  std::uint64_t total_ = 0;
  std::uint32_t crc_ = 0;
  bool committed_ = false;
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
                                                             const JournalId& id, const Head& at) {
  const std::string name = snapshot_name(at.position);
  const std::string path = folder + "/" + name + std::string(unfinished_suffix);
  auto file = files.open(path, base::OpenMode::create_new);
  if (!file) {  // an earlier one that was given up
    (void)files.remove(path);
    file = files.open(path, base::OpenMode::create_new);
  }
  if (!file) return std::unexpected(std::move(file).error());
  auto writer = std::make_unique<FileSnapshot>(files, folder, name, std::move(*file));
  PARLEY_CHECK(writer->begin(head_of(id, at)));
  return writer;
}

base::Result<SnapshotInfo> read_snapshot_file(base::FileSystem& files, const std::string& folder, const JournalId& id,
                                              Position position, const ChunkVisitor& visit) {
  const std::string path = folder + "/" + snapshot_name(position);
  PARLEY_TRY(auto file, files.open(path, base::OpenMode::read_only));
  PARLEY_TRY(const std::uint64_t size, file->size());
  std::string buffer(head_bytes, '\0');
  PARLEY_TRY(const std::size_t got, file->read_at(0, buffer));

  SnapshotInfo info;
  info.at.position = position;
  if (got == head_bytes) {
    info.at.engine_time = base::instant_of(load<std::int64_t>(buffer.data() + 40));
    std::memcpy(info.at.chain.data(), buffer.data() + 48, info.at.chain.size());
  }
  if (buffer != head_of(id, info.at)) return damaged(path, 0, position, "the snapshot's header is not as written");

  std::uint32_t crc = load<std::uint32_t>(buffer.data() + 8);
  for (std::uint64_t at = head_bytes;;) {
    buffer.resize(end_bytes);
    PARLEY_TRY(const std::size_t framed, file->read_at(at, std::span(buffer.data(), end_bytes)));
    if (framed < frame_head_bytes) return damaged(path, at, position, "the snapshot ends early");
    const auto length = load<std::uint32_t>(buffer.data());
    const auto stated = load<std::uint32_t>(buffer.data() + 4);
    if (length == 0) {
      const bool whole = framed == end_bytes && load<std::uint64_t>(buffer.data() + 8) == info.bytes &&
                         base::crc32c({buffer.data() + 8, 8}, crc) == stated && at + end_bytes == size;
      if (!whole) return damaged(path, at, position, "the snapshot's end is not as written");
      return info;
    }
    if (length > chunk_bytes) return damaged(path, at, position, "a chunk's length is not as written");
    buffer.resize(length);
    PARLEY_TRY(const std::size_t filled, file->read_at(at + frame_head_bytes, buffer));
    crc = base::crc32c(std::string_view(buffer).substr(0, filled), crc);
    if (filled < length || crc != stated) return damaged(path, at, position, "a chunk's checksum does not fit");
    PARLEY_CHECK(visit(buffer));
    info.bytes += length;
    at += frame_head_bytes + length;
  }
}

}  // namespace parley::journal::file
