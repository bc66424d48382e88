// Written beside its place, and moved there.
#include "cli/evidence_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace parley::cli {
namespace {

std::unexpected<base::Error> not_written(const std::string& file, const std::string& why) {
  return base::fail(base::ErrorCode::BAD_REQUEST, "the evidence cannot be written: " + why, file,
                    "Name a file with --evidence, in a folder that you may write to.");
}

// Its name. Nothing else is replaced by a file: not a folder, nor a device or a pipe.
base::Result<std::string> write_beside(const std::string& file, std::string_view text) {
  struct stat there{};
  if (::lstat(file.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return not_written(file, "it is no plain file");
  const std::string made = file + ".new." + std::to_string(::getpid());
  errno = 0;
  std::ofstream out(made, std::ios::binary | std::ios::trunc);
  if (out << text << std::flush) return made;
  const std::string why = std::strerror(errno != 0 ? errno : EIO);
  std::remove(made.c_str());
  return not_written(file, why);
}

}  // namespace

base::Result<> check_writable(const std::string& file) {
  PARLEY_TRY(const std::string made, write_beside(file, "\n"));
  std::remove(made.c_str());
  return {};
}

base::Result<> write_whole(const std::string& file, std::string_view text) {
  PARLEY_TRY(const std::string made, write_beside(file, text));
  if (std::rename(made.c_str(), file.c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  std::remove(made.c_str());
  return not_written(file, why);
}

}  // namespace parley::cli
