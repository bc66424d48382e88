// Bytes out of base64 of gzip (RFC 1952) or zstd (RFC 8878), never more of them than asked for: what would be larger
// is given up as soon as it is (F6).
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace parley::ingress {

struct NotInflated {
  bool too_large = false;
  std::string why;       // in words, where it is not its size
  std::size_t made = 0;  // bytes, until it was given up
};

enum class Compression : std::uint8_t { gzip, zstd };

std::expected<std::string, NotInflated> inflate(std::string_view base64, Compression compression, std::size_t most);

}  // namespace parley::ingress
