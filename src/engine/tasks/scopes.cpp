#include "engine/tasks/scopes.hpp"

#include <algorithm>

namespace parley::engine {
namespace {

bool is_plain(std::string_view glob) {
  return glob.find_first_of("*?") == std::string_view::npos;
}

// A path as it is; of a glob with wildcards the folder before the first: "src/engine/" of "src/engine/*.cpp".
std::string_view beginning_of(std::string_view glob) {
  if (is_plain(glob)) return glob;
  const std::size_t slash = glob.substr(0, glob.find_first_of("*?")).rfind('/');
  return glob.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
}

}  // namespace

void Scopes::add(base::Offset task, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) entries_.insert({std::string(beginning_of(glob)), task});
}

void Scopes::remove(base::Offset task, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs)
    if (const auto at = entries_.find(View{beginning_of(glob), task}); at != entries_.end()) entries_.erase(at);
}

std::vector<base::Offset> Scopes::near(std::string_view glob, std::size_t most) const {
  std::vector<base::Offset> tasks;
  const std::string_view beginning = beginning_of(glob);
  const auto take = [&](std::string_view from, auto&& fits) {
    for (auto at = entries_.lower_bound(View{from, {}}); at != entries_.end() && tasks.size() < most; ++at) {
      if (!fits(std::string_view(at->beginning))) return;
      tasks.push_back(at->task);
    }
  };
  // Of the folders around it, those whose globs reach down; then what lies at or under it.
  for (std::size_t end = 0; end != std::string_view::npos;) {
    const std::string_view around = beginning.substr(0, end);
    if (around != beginning) take(around, [&](std::string_view other) { return other == around; });
    const std::size_t slash = beginning.find('/', end);
    end = slash == std::string_view::npos ? slash : slash + 1;
  }
  if (is_plain(glob))
    take(beginning, [&](std::string_view other) { return other == beginning; });
  else
    take(beginning, [&](std::string_view other) { return other.starts_with(beginning); });
  return tasks;
}

}  // namespace parley::engine
