#include "cli/work_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "cli/process.hpp"

namespace parley::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t names_bytes_max = 256u << 20;

std::unexpected<base::Error> unreadable(const fs::path& path, const std::string& why) {
  return base::fail(base::ErrorCode::BAD_REQUEST, "cannot read " + path.string() + ": " + why, path.string());
}

base::Result<base::Digest> hash_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path, "it does not open");
  base::Sha256 hash;
  std::array<char, 65'536> bytes;
  while (file.read(bytes.data(), bytes.size()) || file.gcount() > 0)
    hash.add({bytes.data(), static_cast<std::size_t>(file.gcount())});
  if (file.bad()) return unreadable(path, "it ends early");
  return hash.finish();
}

// "f <hash> <name>": also `x`, of what can be run, and `l`, a link. Empty: it is nothing of these.
base::Result<std::string> line_of(const fs::path& directory, const std::string& name) {
  const fs::path path = directory / name;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return std::string();
  if (error) return unreadable(path, error.message());
  if (fs::is_symlink(status)) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) return unreadable(path, error.message());
    return "l " + base::to_hex(base::sha256(target.string())) + ' ' + name;
  }
  if (!fs::is_regular_file(status)) return std::string();
  PARLEY_TRY(const base::Digest contents, hash_of_file(path));
  const bool runs = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return (runs ? "x " : "f ") + base::to_hex(contents) + ' ' + name;
}

base::Result<Ended> run_git(const std::string& directory, const std::string& redirections) {
  return run({.text = "git ls-files -z --cached --others --exclude-standard " + redirections,
              .directory = directory,
              .timeout = std::chrono::minutes(5),
              .output_max = names_bytes_max});
}

bool lies_in_repository(const std::string& directory) {
  std::error_code error;
  fs::path folder = fs::canonical(directory, error);
  while (!fs::exists(fs::symlink_status(folder / ".git", error))) {
    if (folder == folder.parent_path()) return false;
    folder = folder.parent_path();
  }
  return true;
}

// None: it is no git work tree. Where it is one and git fails, whatever the reason, other files would be signed than
// those that git knows.
base::Result<std::optional<std::vector<std::string>>> names_of_git(const std::string& directory) {
  PARLEY_TRY(const Ended listed, run_git(directory, "2>/dev/null"));
  if (listed.timed_out) return unreadable(directory, "git gave no list of its files in time");
  if (listed.exit_code != 0 && !lies_in_repository(directory)) return std::nullopt;
  if (listed.exit_code != 0) {
    PARLEY_TRY(const Ended refused, run_git(directory, "2>&1 >/dev/null"));
    return base::fail(
        base::ErrorCode::BAD_REQUEST,
        "git does not tell its files: " + refused.output.substr(0, refused.output.find_last_not_of('\n') + 1),
        directory, "Mend what git says: `git ls-files` must work there.");
  }
  if (listed.output.size() >= names_bytes_max) return unreadable(directory, "it has too many files");
  std::vector<std::string> names;
  for (std::size_t at = 0; at < listed.output.size();) {
    const std::size_t end = std::min(listed.output.find('\0', at), listed.output.size());
    names.push_back(listed.output.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

base::Result<std::vector<std::string>> names_of_folder(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (!at->is_directory(error) || at->is_symlink(error)) names.push_back(at->path().lexically_relative(directory));
  if (error) return unreadable(directory, error.message());
  return names;
}

}  // namespace

base::Result<base::Digest> hash_of_tree(const std::string& directory) {
  PARLEY_TRY(auto of_git, names_of_git(directory));
  std::vector<std::string> names;
  if (of_git) {
    names = std::move(*of_git);
  } else {
    PARLEY_TRY(names, names_of_folder(directory));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());  // a conflict is listed more than once
  base::Sha256 tree;
  for (const std::string& name : names) {
    PARLEY_TRY(const std::string line, line_of(directory, name));
    if (!line.empty()) tree.add(line).add(std::string_view("\0", 1));
  }
  return tree.finish();
}

}  // namespace parley::cli
