#include "profile/files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "profile/embedded.hpp"

namespace parley::profile {
namespace {

constexpr std::string_view root = "profiles/";
constexpr std::size_t files_max = 2000;
constexpr std::uintmax_t bytes_max = 16 << 20;

base::Result<> read_into(Files& files, const std::filesystem::directory_entry& entry, const std::string& folder) {
  std::ifstream stream(entry.path(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return base::fail(base::ErrorCode::NOT_FOUND, "The file cannot be read", entry.path().string());
  files[std::filesystem::relative(entry.path(), folder).generic_string()] = std::move(bytes);
  return {};
}

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
  Files files;
  std::uintmax_t bytes = 0;
  for (auto at = std::filesystem::recursive_directory_iterator(folder, failed);
       !failed && at != std::filesystem::recursive_directory_iterator(); at.increment(failed)) {
    if (!at->is_regular_file() || at->path().extension() != ".json") continue;
    bytes += at->file_size();
    if (bytes > bytes_max || files.size() == files_max)
      return base::fail(base::ErrorCode::PAYLOAD_TOO_LARGE, "A profile has at most 2000 files and 16 MiB", folder);
    PARLEY_CHECK(read_into(files, *at, folder));
  }
  if (failed) return base::fail(base::ErrorCode::NOT_FOUND, "The folder cannot be read: " + failed.message(), folder);
  return files;
}

}  // namespace parley::profile
