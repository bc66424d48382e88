#include "base/uuid.hpp"

#include "base/hash.hpp"

namespace parley::base {

std::string uuid_of(std::string_view seed) {
  Digest digest = sha256(seed);
  digest[6] = static_cast<std::uint8_t>((digest[6] & 0x0F) | 0x40);
  digest[8] = static_cast<std::uint8_t>((digest[8] & 0x3F) | 0x80);
  std::string hex = to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), 16));
  for (const std::size_t dash : {20, 16, 12, 8}) hex.insert(dash, 1, '-');
  return hex;
}

}  // namespace parley::base
