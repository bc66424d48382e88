// ECMA-262 patterns (as with the `u` flag) over RE2, in time linear in the text. What RE2 cannot know - lookaround,
// back references - is refused when compiled. Patterns that are a plain row of ASCII classes run without RE2.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace parley::schema {

class Regex {
 public:
  // SCHEMA_INVALID for no regular expression or one RE2 cannot express, SCHEMA_TOO_COMPLEX for one too large.
  static base::Result<Regex> compile(std::string_view ecma);

  bool matches(std::string_view text) const;  // anywhere in it, as ECMA's test()
  const std::string& source() const;
  std::size_t cost() const;  // instructions of its program

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// RE2's spelling of an ECMA-262 pattern.
base::Result<std::string> translate_regex(std::string_view ecma);

}  // namespace parley::schema
