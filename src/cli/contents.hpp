// What a file named on the command line holds; `-` is standard input.
#pragma once
#include <string>

#include "base/result.hpp"

namespace parley::cli {

// NOT_FOUND, FORBIDDEN or BAD_REQUEST (a folder, say) with the file's name in `where`.
base::Result<std::string> contents_of(const std::string& file);

}  // namespace parley::cli
