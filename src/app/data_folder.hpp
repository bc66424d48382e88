// What a server keeps in its data folder beside the journal: the admin's credential, and where it listens.
#pragma once
#include <memory>
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

// DATA/server.json {"url", "pid"}, for the command line to find the server. The lock on it is to be held as long as the
// server lives: a killed one leaves its file, and without the lock nobody sends a token there.
base::Result<std::unique_ptr<base::FileLock>> write_server_file(base::FileSystem& files, const std::string& folder,
                                                                const std::string& url);
void remove_server_file(const std::string& folder);

}  // namespace parley::app
