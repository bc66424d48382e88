// What was probably meant by a word that is none of those known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parley::cli {

// The known word that a slip or two away is this one; empty where none is.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace parley::cli
