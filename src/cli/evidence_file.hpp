// The file that a signed statement goes to (BEY-05): whole or not at all, and what stands there meanwhile stays.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace parley::cli {

// Before checks are run that may take long: whether it could be written. Leaves nothing there, for it may lie in the
// work tree.
base::Result<> check_writable(const std::string& file);

base::Result<> write_whole(const std::string& file, std::string_view text);

}  // namespace parley::cli
