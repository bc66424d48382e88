// The beginning of a text, for whoever reads a refusal or an event: never cut through a character, for what is not
// UTF-8 is neither JSON nor a field of an event.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"

namespace parley::base {

// Of valid UTF-8; with "…" where something is left out.
inline std::string excerpt(std::string_view text, std::size_t bytes_max) {
  std::string begun(beginning(text, bytes_max));
  return begun.size() < text.size() ? std::move(begun) + "…" : begun;
}

}  // namespace parley::base
