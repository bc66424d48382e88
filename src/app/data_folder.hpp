// The data folder, and the admin's credential that is kept in it beside the journal.
#pragma once
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/result.hpp"

namespace parley::app {

struct AdminToken {
  base::Digest hash{};
  std::string file;
  bool made = false;  // by this call
};

// Whether there is a folder to write in, or one in which it can be made.
base::Result<> check_data_folder(const std::string& folder);

// With what is above it. BAD_REQUEST: it cannot be made there.
base::Result<> make_data_folder(base::FileSystem& files, const std::string& folder);

// Reads DATA/admin.token, or makes it: 256 random bits, readable by its owner alone (D10).
base::Result<AdminToken> admin_token(base::FileSystem& files, const std::string& folder, base::Random& random);

}  // namespace parley::app
