#include "app/data_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "json/writer.hpp"

namespace parley::app {
namespace {

std::unexpected<base::Error> failed(const std::string& path, std::string_view what) {
  return base::fail(base::ErrorCode::INTERNAL, "cannot " + std::string(what) + " " + path + ": " + std::strerror(errno),
                    path, "Check the data folder's owner and permissions.");
}

// A name lasts once its folder is synced.
bool sync_folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  return synced;
}

base::Result<> write_private(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed(fresh, "create");
  const bool written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  ::close(file);
  if (!written || ::rename(fresh.c_str(), path.c_str()) != 0 || !sync_folder_of(path)) return failed(path, "write");
  return {};
}

base::Result<std::string> read_small(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return failed(path, "open");
  std::string text(4096, '\0');
  const ssize_t count = ::read(file, text.data(), text.size());
  ::close(file);
  if (count < 0) return failed(path, "read");
  text.resize(static_cast<std::size_t>(count));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

base::Result<AdminToken> admin_token(const std::string& folder, base::Random& random) {
  AdminToken token{{}, folder + "/admin.token", false};
  struct stat status{};
  if (::lstat(token.file.c_str(), &status) == 0) {
    if ((status.st_mode & 077) != 0)
      return base::fail(base::ErrorCode::FORBIDDEN, token.file + " can be read by others", token.file,
                        "chmod 600 the file, and rotate the token if others may have read it.");
    PARLEY_TRY(const std::string text, read_small(token.file));
    if (text.size() < 32)
      return base::fail(base::ErrorCode::INTERNAL, token.file + " holds no token", token.file,
                        "Delete the file; the next start makes a new one.");
    token.hash = base::sha256(text);
    return token;
  }
  std::array<std::uint8_t, 32> secret{};
  random.fill(secret);
  const std::string text = "pa_" + base::to_hex(secret);
  PARLEY_CHECK(write_private(token.file, text + "\n"));
  token.hash = base::sha256(text);
  token.made = true;
  return token;
}

base::Result<> write_server_file(const std::string& folder, const std::string& url) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object().member("url", url).member("pid", static_cast<std::int64_t>(::getpid())).end_object();
  return write_private(folder + "/server.json", text + "\n");
}

void remove_server_file(const std::string& folder) {
  ::unlink((folder + "/server.json").c_str());
}

}  // namespace parley::app
