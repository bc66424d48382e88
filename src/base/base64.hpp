// Base64 in both of its alphabets (RFC 4648 §4 and §5). Reading is strict: what another text would be read as the same
// bytes as is refused, so that bytes have one text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::base {

enum class Alphabet : std::uint8_t {
  standard,  // with padding
  url,       // without
};

std::string to_base64(std::string_view bytes, Alphabet alphabet);
std::optional<std::string> from_base64(std::string_view text, Alphabet alphabet);

}  // namespace parley::base
