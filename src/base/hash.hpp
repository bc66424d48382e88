// SHA-256 (journal chain, contents, tokens) and CRC-32C (blocks), each by any tool verifiable.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace parley::base {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);

// Of each: many of about one length take less than half the time together.
void sha256_each(std::span<const std::string_view> texts, std::span<Digest> into);

// For hashes of more than one piece, and for loops: reuses one context. Resource type, one thread.
class Sha256 {
 public:
  Sha256();
  ~Sha256();

  Sha256& add(std::string_view bytes);
  Digest finish();  // and begin anew

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// `before` is the checksum of what precedes `bytes`, 0 at the start.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// Takes the same time whatever differs: for secrets' hashes.
bool equal_secret(const Digest& a, const Digest& b);

std::string to_hex(std::string_view bytes);
std::string to_hex(const Digest& digest);
bool from_hex(std::string_view hex, Digest& digest);

}  // namespace parley::base
