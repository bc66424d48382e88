// A small file that is its owner's alone, beside the journal (D10).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/result.hpp"

namespace parley::app {

// Whole, or as it was before. Where a lock is wanted it is held before anybody can see the file. Errors: STORAGE_FULL;
// INTERNAL.
base::Result<> write_private(base::FileSystem& files, const std::string& folder, const std::string& name,
                             const std::string& text, std::unique_ptr<base::FileLock>* lock = nullptr);

// `why`, with what could not be done to which file.
std::unexpected<base::Error> file_failed(const base::Error& why, std::string_view what, const std::string& path);

}  // namespace parley::app
