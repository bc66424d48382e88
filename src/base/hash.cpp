// SHA-256 by OpenSSL's own functions rather than through EVP, which takes half as long again to hash an id; they are
// deprecated for lack of choice, and stay in libcrypto 3.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.hpp"

#include <nmmintrin.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <cstring>

namespace parley::base {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0u);
    table[i] = value;
  }
  return table;
}();

std::uint32_t crc_by_table(std::uint32_t crc, std::string_view bytes) {
  for (const char c : bytes) crc = crc_table[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  return crc;
}

// The instruction takes three cycles and may begin in each: three stripes go side by side, and are joined by what a
// stripe of zeros makes of a checksum, which is the exclusive or of what it makes of its bytes.
constexpr std::size_t stripe_bytes = 256;
constexpr std::array<std::array<std::uint32_t, 256>, 4> over_zeros = [] {
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte)
    for (std::uint32_t bit = 1; bit < 256; bit <<= 1) {
      std::uint32_t crc = bit << (8 * byte);
      for (std::size_t i = 0; i < stripe_bytes; ++i) crc = crc_table[crc & 0xFF] ^ (crc >> 8);
      for (std::uint32_t low = 0; low < bit; ++low) table[byte][bit + low] = crc ^ table[byte][low];
    }
  return table;
}();

std::uint64_t past_stripe(std::uint64_t crc) {
  return over_zeros[0][crc & 0xFF] ^ over_zeros[1][crc >> 8 & 0xFF] ^ over_zeros[2][crc >> 16 & 0xFF] ^
         over_zeros[3][crc >> 24 & 0xFF];
}

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crc_by_hardware(std::uint32_t crc, std::string_view bytes) {
  std::uint64_t wide = crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * stripe_bytes; left -= 3 * stripe_bytes, at += 3 * stripe_bytes) {
    std::uint64_t second = 0, third = 0;
    for (const char* word = at; word < at + stripe_bytes; word += sizeof(std::uint64_t)) {
      wide = _mm_crc32_u64(wide, word_at(word));
      second = _mm_crc32_u64(second, word_at(word + stripe_bytes));
      third = _mm_crc32_u64(third, word_at(word + 2 * stripe_bytes));
    }
    wide = past_stripe(past_stripe(wide) ^ second) ^ third;
  }
  for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t), at += sizeof(std::uint64_t))
    wide = _mm_crc32_u64(wide, word_at(at));
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(*at));
  return narrow;
}

constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace

struct Sha256::State {
  SHA256_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}
Sha256::~Sha256() = default;

Sha256& Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
  return *this;
}

Digest Sha256::finish() {
  Digest digest;
  SHA256_Final(digest.data(), &state_->context);
  SHA256_Init(&state_->context);
  return digest;
}

Digest sha256(std::string_view bytes) {
  Digest digest;
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

bool equal_secret(const Digest& a, const Digest& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  static const bool hardware = __builtin_cpu_supports("sse4.2");
  const std::uint32_t crc = ~before;
  return ~(hardware ? crc_by_hardware(crc, bytes) : crc_by_table(crc, bytes));
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    hex += hex_digits[static_cast<std::uint8_t>(c) >> 4];
    hex += hex_digits[static_cast<std::uint8_t>(c) & 15];
  }
  return hex;
}

std::string to_hex(const Digest& digest) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

bool from_hex(std::string_view hex, Digest& digest) {
  if (hex.size() != digest.size() * 2) return false;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const std::size_t value = hex_digits.find(hex[i]);
    if (value == std::string_view::npos) return false;
    digest[i / 2] = static_cast<std::uint8_t>(i % 2 == 0 ? value << 4 : digest[i / 2] | value);
  }
  return true;
}

}  // namespace parley::base
