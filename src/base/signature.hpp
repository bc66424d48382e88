// Ed25519 signatures (RFC 8032), by OpenSSL: who holds a public key can tell what the holder of its secret half signed.
// Pure and deterministic; secret halves are in signing_key.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::base {

using PublicKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

bool verifies(const PublicKey& key, std::string_view bytes, const Signature& signature);

// As people and APIs write it: standard base64.
std::string to_text(const PublicKey& key);
std::optional<PublicKey> parse_public_key(std::string_view text);

}  // namespace parley::base
