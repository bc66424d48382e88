// Plain reads: a stream throws for a folder, and says nothing of why it could not be opened.
#include "cli/contents.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace parley::cli {
namespace {

std::unexpected<base::Error> cannot_read(const std::string& file, int reason) {
  using base::ErrorCode;
  const ErrorCode code = reason == ENOENT || reason == ENOTDIR ? ErrorCode::NOT_FOUND
                         : reason == EACCES || reason == EPERM ? ErrorCode::FORBIDDEN
                                                               : ErrorCode::BAD_REQUEST;
  const std::string hint = code == ErrorCode::NOT_FOUND   ? "Check its name."
                           : code == ErrorCode::FORBIDDEN ? "Make it readable for you."
                                                          : "Name a file of JSON.";
  return base::fail(code, std::string("the file cannot be read: ") + std::strerror(reason), file, hint);
}

}  // namespace

base::Result<std::string> contents_of(const std::string& file) {
  const bool standard_input = file == "-";
  const int descriptor = standard_input ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(file, errno);
  std::string text;
  int reason = 0;
  while (true) {
    constexpr std::size_t step = 64 << 10;
    const std::size_t before = text.size();
    text.resize(before + step);
    const ssize_t count = ::read(descriptor, text.data() + before, step);
    reason = count < 0 ? errno : 0;
    text.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
    if (count == 0 || (reason != 0 && reason != EINTR)) break;
  }
  if (!standard_input) ::close(descriptor);
  if (reason != 0) return cannot_read(file, reason);
  return text;
}

}  // namespace parley::cli
