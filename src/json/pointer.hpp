// JSON Pointer (RFC 6901), compiled once for repeated use. Value type.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::json {

class Pointer {
 public:
  Pointer() = default;                                        // the whole document
  static base::Result<Pointer> parse(std::string_view text);  // BAD_REQUEST: no leading '/', or '~' not before 0 or 1

  Value resolve(Value document) const;  // absent where it leads nowhere; "-" leads nowhere
  std::string to_text() const;

 private:
  static constexpr std::uint32_t no_index = UINT32_MAX;
  struct Token {
    std::string key;
    std::uint32_t index = no_index;  // where the token reads as an array index
  };
  std::vector<Token> tokens_;
};

// Appends "/token", escaped.
void append_token(std::string& pointer, std::string_view token);

// The pointer from `root` to `place`, which lies inside it.
std::string pointer_to(Value root, Value place);

}  // namespace parley::json
