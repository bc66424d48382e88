// A file that the format does not know would be read by nobody: a message in a wrong folder, a name with a slip in it.
#include <algorithm>
#include <array>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {
namespace {

constexpr std::array<std::string_view, 4> message_folders{"examples/", "examples/records/", "refusals/", "warnings/"};

bool is_known(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return path == "profile.json" || path == "story.json";
  const std::string_view folder = path.substr(0, slash + 1);
  if (folder == schemas_folder) return is_schema(path);
  return std::ranges::find(message_folders, folder) != message_folders.end() && path.ends_with(".json");
}

}  // namespace

void known_files(const Subject& subject, Problems& problems) {
  for (const auto& [path, bytes] : subject.files)
    if (!is_known(path)) problems.add(path, "", "known_files", "A profile has no such file");
}

}  // namespace parley::profile::lint_rules
