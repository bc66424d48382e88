#include "profile/files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "profile/embedded.hpp"
#include "profile/problems.hpp"

namespace parley::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view root = "profiles/";
constexpr std::size_t files_max = 2000;
constexpr std::uintmax_t bytes_max = 16 << 20;

// A folder while it is read: what lies in it, and what of that is nothing to be read.
class FolderReader {
 public:
  // False: over the bounds. `prefix` is what the names below it begin with: "examples/".
  bool read(const fs::path& folder, const std::string& prefix) {
    std::error_code failed;
    for (auto at = fs::directory_iterator(folder, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
      const std::string name = at->path().filename().string();
      if (name.starts_with('.')) continue;
      if (!take(*at, prefix + name)) return false;
    }
    if (failed) problem(prefix, "The folder cannot be read: " + failed.message());
    return true;
  }

  base::Result<Files> outcome() && {
    if (problems_.empty()) return std::move(files_);
    return problems_.refusal("");
  }

 private:
  bool take(const fs::directory_entry& entry, const std::string& path) {
    std::error_code failed;
    const bool is_link = entry.is_symlink(failed);
    const fs::file_status status = entry.status(failed);
    if (status.type() == fs::file_type::not_found) return problem(path, "The link leads nowhere");
    if (failed) return problem(path, "The file cannot be read: " + failed.message());
    if (status.type() == fs::file_type::directory) {
      if (is_link) return problem(path, "This is a link to a folder, not the folder itself");
      if (entry.path().extension() == ".json") return problem(path, "This is a folder, not a file");
      return read(entry.path(), path + '/');
    }
    if (status.type() != fs::file_type::regular) return problem(path, "This is no regular file");
    return take_file(entry, path);
  }

  bool take_file(const fs::directory_entry& entry, const std::string& path) {
    std::error_code failed;
    const std::uintmax_t size = entry.file_size(failed);
    if (failed) return problem(path, "The file cannot be read: " + failed.message());
    bytes_ += size;
    if (bytes_ > bytes_max || files_.size() == files_max) return false;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return problem(path, "The file cannot be read");
    files_[path] = std::move(bytes);
    return true;
  }

  bool problem(const std::string& path, std::string message) {
    problems_.add(path, "", "file", std::move(message));
    return true;
  }

  Files files_;
  Problems problems_;
  std::uintmax_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with(root)) continue;
    const std::string_view below = file.path.substr(root.size());
    if (const std::size_t slash = below.find('/'); slash != std::string_view::npos)
      if (names.empty() || names.back() != below.substr(0, slash)) names.emplace_back(below.substr(0, slash));
  }
  return names;
}

Files built_in_files(std::string_view name) {
  const std::string prefix = std::string(root) + std::string(name) + '/';
  Files files;
  for (const EmbeddedFile& file : embedded_files())
    if (file.path.starts_with(prefix)) files.emplace(file.path.substr(prefix.size()), file.bytes);
  return files;
}

base::Result<Files> read_folder(const std::string& folder) {
  std::error_code failed;
  const fs::directory_iterator opened(folder, failed);
  if (failed) return base::fail(base::ErrorCode::NOT_FOUND, "The folder cannot be read: " + failed.message(), folder);
  FolderReader reader;
  if (!reader.read(folder, ""))
    return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE, "A profile has at most 2000 files and 16 MiB", folder);
  return std::move(reader).outcome();
}

}  // namespace parley::profile
