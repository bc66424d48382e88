// The blocks of one segment one after the other, checked, through one reused buffer. Resource type.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "journal/file/block.hpp"

namespace parley::journal::file {

enum class Bodies : std::uint8_t { skipped, checked };
enum class Step : std::uint8_t {
  block,
  bad,  // no whole, intact block begins at byte()
  end,
};

class BlockStream {
 public:
  // Blocks between the bytes `from` and `to`.
  BlockStream(base::File& file, const SegmentKey& key, std::uint64_t from, std::uint64_t to, Bodies bodies)
      : file_(file), key_(key), next_(from), to_(to), bodies_(bodies) {}

  base::Result<Step> next();
  std::uint64_t byte() const { return byte_; }    // of the block, or of the bad place
  const Block& block() const { return *block_; }  // until the next call

 private:
  base::Result<bool> have(std::uint64_t count);  // whether so many bytes from byte_ on are in the buffer
  std::string_view at_byte() const { return std::string_view(buffer_).substr(byte_ - buffer_at_, filled()); }
  std::size_t filled() const { return buffered_ - (byte_ - buffer_at_); }

  base::File& file_;
  SegmentKey key_;
  std::uint64_t byte_ = 0;
  std::uint64_t next_;
  std::uint64_t to_;
  Bodies bodies_;
  std::optional<Block> block_;

  std::string buffer_;
  std::uint64_t buffer_at_ = 0;  // where in the file
  std::size_t buffered_ = 0;     // bytes of it that are filled
};

// What lies from a bad place on: enough to tell a torn tail from damage below what was synced.
struct Rest {
  Position synced;                // the highest that any block there claims whose header and chained part are intact
  std::uint64_t blocks = 0;       // that are so
  std::uint64_t nonzero_end = 0;  // byte after the last that is not zero; `from` if there is none
};
base::Result<Rest> survey(base::File& file, const SegmentKey& key, std::uint64_t from, std::uint64_t to);

}  // namespace parley::journal::file
