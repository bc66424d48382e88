#include "app/data_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/private_file.hpp"

namespace parley::app {
namespace {

base::Result<std::string> read_small(base::FileSystem& files, const std::string& path) {
  const auto file = files.open(path, base::OpenMode::read_only);
  if (!file) return file_failed(file.error(), "open", path);
  std::string text(4096, '\0');
  const auto count = (*file)->read_at(0, text);
  if (!count) return file_failed(count.error(), "read", path);
  text.resize(*count);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

base::Result<> check_data_folder(const std::string& folder) {
  std::string there = folder;  // or the nearest above that there is
  struct stat status{};
  bool found = false;
  while (!(found = ::stat(there.c_str(), &status) == 0) && (errno == ENOENT || errno == ENOTDIR)) {
    const std::size_t slash = there.rfind('/');
    there = slash == std::string::npos ? "." : slash == 0 ? "/" : there.substr(0, slash);
  }
  if (found && !S_ISDIR(status.st_mode))
    return base::fail(base::ErrorCode::BAD_REQUEST, there + " is not a folder", "--data",
                      "Name another data folder with --data.");
  if (!found || ::access(there.c_str(), W_OK | X_OK) != 0)
    return base::fail(base::ErrorCode::FORBIDDEN, there + " cannot be written to: " + std::strerror(errno), "--data",
                      "Make it writable for you, or name another data folder with --data.");
  return {};
}

base::Result<> make_data_folder(base::FileSystem& files, const std::string& folder) {
  auto made = files.make_folder(folder);
  if (made || made.error().code == base::ErrorCode::STORAGE_FULL) return made;
  return base::fail(base::ErrorCode::BAD_REQUEST, folder + " cannot be made: " + made.error().message, "--data",
                    "Name another data folder with --data.");
}

base::Result<AdminToken> admin_token(base::FileSystem& files, const std::string& folder, base::Random& random) {
  AdminToken token{{}, folder + "/admin.token", false};
  struct stat status{};
  if (::lstat(token.file.c_str(), &status) == 0) {
    if ((status.st_mode & 077) != 0)  // as every link's
      return base::fail(
          base::ErrorCode::FORBIDDEN, token.file + " can be read by others", token.file,
          "chmod 600 the file. Where others may have read it delete it instead: the next start makes a new one.");
    PARLEY_TRY(const std::string text, read_small(files, token.file));
    if (text.size() < 32)
      return base::fail(base::ErrorCode::BAD_REQUEST, token.file + " holds no token", token.file,
                        "Delete the file; the next start makes a new one.");
    token.hash = base::sha256(text);
    return token;
  }
  std::array<std::uint8_t, 32> secret{};
  random.fill(secret);
  const std::string text = "pa_" + base::to_hex(secret);
  PARLEY_CHECK(write_private(files, folder, "admin.token", text + "\n"));
  token.hash = base::sha256(text);
  token.made = true;
  return token;
}

}  // namespace parley::app
