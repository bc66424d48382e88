// SHA-256 by OpenSSL's own functions rather than through EVP, which takes half as long again to hash an id; they are
// deprecated for lack of choice, and stay in libcrypto 3.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.hpp"

#include <nmmintrin.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <cstring>

#include "base/assert.hpp"

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

__attribute__((target("sse4.2"))) std::uint32_t crc_by_hardware(std::uint32_t crc, std::string_view bytes) {
  std::uint64_t wide = crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
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
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
  return *this;
}

Sha256& Sha256::add(const Digest& digest) {
  return add(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
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
