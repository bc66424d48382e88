// Bytes out of base64 of gzip (RFC 1952) or zstd (RFC 8878), never more of them than asked for: what would be larger
// is given up as soon as it is (F6).
#pragma once
#include <expected>
#include <string>
#include <string_view>

namespace parley::ingress {

struct NotInflated {
  bool too_large = false;
  std::string why;  // in words, where it is not its size
};

enum class Compression { gzip, zstd };

std::expected<std::string, NotInflated> inflate(std::string_view base64, Compression compression, std::size_t most);

}  // namespace parley::ingress
