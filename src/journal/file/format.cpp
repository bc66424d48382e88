#include "journal/file/format.hpp"

#include <charconv>
#include <cstring>

#include "journal/little_endian.hpp"

namespace parley::journal::file {
namespace {

constexpr std::string_view header_magic = "parleyJ\x01";
constexpr std::string_view seal_magic = "parleyS\x01";
constexpr std::string_view mark_magic = "parleyM\x01";
constexpr std::string_view id_magic = "parley journal 1\n";

std::string_view view(const JournalId& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

void write_head(char* position, char* engine_time, char* chain, const Head& head) {
  store(position, head.position.value);
  store(engine_time, static_cast<std::int64_t>(base::unix_us(head.engine_time)));
  std::memcpy(chain, head.chain.data(), head.chain.size());
}

Head read_head(const char* position, const char* engine_time, const char* chain) {
  Head head;
  head.position = Position(load<std::uint64_t>(position));
  head.engine_time = base::instant_of(load<std::int64_t>(engine_time));
  std::memcpy(head.chain.data(), chain, head.chain.size());
  return head;
}

}  // namespace

SegmentKey key_of(const JournalId& id, Generation generation, bool check) {
  char number[8];
  store(number, generation.value);
  base::Sha256 hasher;
  const base::Digest digest = hasher.add("parley block").add(view(id)).add({number, sizeof number}).finish();
  return {generation, load<std::uint64_t>(reinterpret_cast<const char*>(digest.data())), check};
}

Head root_of(const JournalId& id) {
  Head head;
  head.chain = base::sha256(view(id));
  return head;
}

// 0 magic │ 8 u32 CRC of what follows │ 12 u32 version │ 16 id │ 32 u64 generation │ 40 u64 bytes │ 48 u64 position
// before │ 56 i64 its engine time │ 64 its chain │ 96 u64 0
void write_header(char* to, const SegmentHeader& header) {
  std::memset(to, 0, header_bytes);
  std::memcpy(to, header_magic.data(), header_magic.size());
  store(to + 12, header.version);
  std::memcpy(to + 16, header.id.data(), header.id.size());
  store(to + 32, header.generation.value);
  store(to + 40, header.bytes);
  write_head(to + 48, to + 56, to + 64, header.before);
  store(to + 8, base::crc32c({to + 12, header_bytes - 12}));
}

std::optional<SegmentHeader> read_header(std::string_view bytes) {
  if (bytes.size() < header_bytes || !bytes.starts_with(header_magic)) return std::nullopt;
  const char* at = bytes.data();
  if (load<std::uint32_t>(at + 8) != base::crc32c({at + 12, header_bytes - 12})) return std::nullopt;
  SegmentHeader header;
  header.version = load<std::uint32_t>(at + 12);
  std::memcpy(header.id.data(), at + 16, header.id.size());
  header.generation = Generation(load<std::uint64_t>(at + 32));
  header.bytes = load<std::uint64_t>(at + 40);
  header.before = read_head(at + 48, at + 56, at + 64);
  return header;
}

// 0 magic │ 8 u32 CRC of what follows │ 12 u32 rows │ 16 u64 marker │ 24 u64 generation │ 32 u64 last position │
// 40 i64 its engine time │ 48 chain │ 80 u64 end │ 88 u32 CRC of the index │ 92 0
void write_seal(char* to, const Seal& seal, const SegmentKey& key) {
  std::memset(to, 0, seal_bytes);
  std::memcpy(to, seal_magic.data(), seal_magic.size());
  store(to + 12, seal.index_rows);
  store(to + 16, key.marker);
  store(to + 24, seal.generation.value);
  write_head(to + 32, to + 40, to + 48, seal.at);
  store(to + 80, seal.end);
  store(to + 88, seal.index_crc);
  store(to + 8, base::crc32c({to + 12, seal_bytes - 12}));
}

std::optional<Seal> read_seal(std::string_view bytes, const SegmentKey& key) {
  if (bytes.size() < seal_bytes || !bytes.starts_with(seal_magic)) return std::nullopt;
  const char* at = bytes.data();
  if (load<std::uint32_t>(at + 8) != base::crc32c({at + 12, seal_bytes - 12})) return std::nullopt;
  if (load<std::uint64_t>(at + 16) != key.marker) return std::nullopt;
  Seal seal;
  seal.index_rows = load<std::uint32_t>(at + 12);
  seal.generation = Generation(load<std::uint64_t>(at + 24));
  seal.at = read_head(at + 32, at + 40, at + 48);
  seal.end = load<std::uint64_t>(at + 80);
  seal.index_crc = load<std::uint32_t>(at + 88);
  return seal;
}

// 0 magic │ 8 u32 CRC of what follows │ 12 0 │ 16 u64 marker │ 24 u64 position
void write_mark(char* to, Position synced, const SegmentKey& key) {
  std::memset(to, 0, mark_bytes);
  std::memcpy(to, mark_magic.data(), mark_magic.size());
  store(to + 16, key.marker);
  store(to + 24, synced.value);
  store(to + 8, base::crc32c({to + 12, mark_bytes - 12}));
}

Position read_mark(std::string_view bytes, const SegmentKey& key) {
  if (bytes.size() < mark_bytes || !bytes.starts_with(mark_magic)) return {};
  const char* at = bytes.data();
  const bool intact = load<std::uint32_t>(at + 8) == base::crc32c({at + 12, mark_bytes - 12});
  if (!intact || load<std::uint64_t>(at + 16) != key.marker) return {};
  return Position(load<std::uint64_t>(at + 24));
}

std::string write_index(const std::vector<IndexRow>& rows) {
  std::string bytes(rows.size() * index_row_bytes, '\0');
  char* to = bytes.data();
  for (const IndexRow& row : rows) {
    store(to, row.first.value);
    store(to + 8, row.byte);
    to += index_row_bytes;
  }
  return bytes;
}

std::vector<IndexRow> read_index(std::string_view bytes) {
  std::vector<IndexRow> rows;
  rows.reserve(bytes.size() / index_row_bytes);
  for (; bytes.size() >= index_row_bytes; bytes.remove_prefix(index_row_bytes)) {
    rows.push_back({Position(load<std::uint64_t>(bytes.data())), load<std::uint64_t>(bytes.data() + 8)});
  }
  return rows;
}

std::string segment_name(Generation generation) {
  std::string digits = std::to_string(generation.value);
  return std::string(digits.size() < 10 ? 10 - digits.size() : 0, '0') + digits + ".segment";
}

std::optional<Generation> generation_of(std::string_view file_name) {
  constexpr std::string_view suffix = ".segment";
  if (!file_name.ends_with(suffix)) return std::nullopt;
  const std::string_view digits = file_name.substr(0, file_name.size() - suffix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (number == 0 || segment_name(Generation(number)) != file_name) return std::nullopt;
  return Generation(number);
}

std::string write_id(const JournalId& id) {
  return std::string(id_magic) + base::to_hex(view(id)) + "\n";
}

std::optional<JournalId> read_id(std::string_view bytes) {
  JournalId id;
  base::Digest digest;  // from_hex reads 32 bytes: the id and as many zeros
  if (bytes.size() != id_magic.size() + 33 || !bytes.starts_with(id_magic) || !bytes.ends_with('\n'))
    return std::nullopt;
  if (!base::from_hex(std::string(bytes.substr(id_magic.size(), 32)) + std::string(32, '0'), digest))
    return std::nullopt;
  std::memcpy(id.data(), digest.data(), id.size());
  return id;
}

std::unexpected<base::Error> damaged(const std::string& path, std::uint64_t byte, Position position,
                                     std::string_view what) {
  return base::fail(
      base::ErrorCode::JOURNAL_DAMAGED,
      "byte " + std::to_string(byte) + ", position " + std::to_string(position.value) + ": " + std::string(what), path);
}

}  // namespace parley::journal::file
