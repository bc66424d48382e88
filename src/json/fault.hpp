// Where and why a text is no JSON: a plain scanner that runs only after the fast parser said no.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "json/parser.hpp"

namespace parley::json {

struct Fault {
  std::size_t byte = 0;  // the first that cannot stand there
  std::string message;
};

// The first fault by grammar, UTF-8, number range, depth and number length; none where the text is well-formed.
// Linear in the text, no recursion.
std::optional<Fault> find_fault(std::string_view bytes, const Limits& limits);

}  // namespace parley::json
