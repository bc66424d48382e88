// Whether bytes are UTF-8 (RFC 3629), told as soon as they are not: of what comes piece by piece too (RFC 6455 §8.1).
// Value type.
#pragma once
#include <cstdint>
#include <string_view>

namespace parley::base {

class Utf8Check {
 public:
  bool add(std::string_view bytes);  // false: no text begins with what was added so far
  bool whole() const { return state_ == 0; }

 private:
  std::uint32_t state_ = 0;
};

bool is_utf8(std::string_view bytes);

}  // namespace parley::base
