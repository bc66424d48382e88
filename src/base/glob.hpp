// Globs over paths with '/': `*` any characters of one name, `?` one of them, `**` any names, also none. (COL-05)
#pragma once
#include <cstdint>
#include <string_view>

namespace parley::base {

// The whole path, in time of the product of both lengths at most. Paths that climb ("..") or begin at the root are
// matched by nothing, so that no glob is left through them.
bool glob_matches(std::string_view glob, std::string_view path);
// The same, and adds what it took to `steps`, so that many of them can be bounded.
bool glob_matches(std::string_view glob, std::string_view path, std::uint64_t& steps);

}  // namespace parley::base
