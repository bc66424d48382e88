#include "engine/tasks/scopes.hpp"

#include <algorithm>

namespace parley::engine {
namespace {

// A path as it is; of a glob with wildcards the folder before the first: "src/engine/" of "src/engine/*.cpp".
std::string_view beginning_of(std::string_view glob) {
  const std::size_t wildcard = std::min(glob.find('*'), glob.find('?'));
  if (wildcard == std::string_view::npos) return glob;
  const std::size_t slash = glob.substr(0, wildcard).rfind('/');
  return glob.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
}

}  // namespace

void Scopes::add(base::Offset task, const base::PackedTexts& globs) {
  for (const std::string_view glob : globs) {
    const Entry entry{beginning_of(glob), task};
    const std::size_t before = entries_.size();
    const Entries::const_iterator added = entries_.insert(place_.value_or(entries_.end()), entry);
    place_ = std::next(added);
    if (entries_.size() > before) ++of_length_[entry.beginning.size()];
  }
}

void Scopes::remove(base::Offset task, const base::PackedTexts& globs) {
  for (const std::string_view glob : globs) {
    const std::string_view beginning = beginning_of(glob);
    place_.reset();
    if (entries_.erase({beginning, task}) == 0) continue;
    const auto of_length = of_length_.find(beginning.size());
    if (--of_length->second == 0) of_length_.erase(of_length);
  }
}

// Names mostly count on: what is looked for comes where the one before it was found or added.
Scopes::Entries::const_iterator Scopes::first_from(std::string_view beginning) const {
  if (place_) {
    const bool before_it = *place_ == entries_.end() || beginning <= (*place_)->beginning;
    if (before_it && (*place_ == entries_.begin() || std::prev(*place_)->beginning < beginning)) return *place_;
  }
  return entries_.lower_bound({beginning, {}});
}

std::vector<base::Offset> Scopes::near(std::string_view glob, std::size_t most) const {
  std::vector<base::Offset> tasks;
  const std::string_view beginning = beginning_of(glob);
  const auto take = [&](std::string_view from, auto&& fits) {
    auto at = first_from(from);
    for (; at != entries_.end() && tasks.size() < most && fits(at->beginning); ++at) tasks.push_back(at->task);
    place_ = at;
  };
  // Of the folders around it, those whose globs reach down; then what lies at or under it.
  for (std::size_t end = 0; end != std::string_view::npos;) {
    const std::string_view around = beginning.substr(0, end);
    if (around != beginning && of_length_.contains(around.size()))
      take(around, [&](std::string_view other) { return other == around; });
    const std::size_t slash = beginning.find('/', end);
    end = slash == std::string_view::npos ? slash : slash + 1;
  }
  const bool is_path = beginning.size() == glob.size();
  if (is_path)
    take(beginning, [&](std::string_view other) { return other == beginning; });
  else
    take(beginning, [&](std::string_view other) { return other.starts_with(beginning); });
  return tasks;
}

}  // namespace parley::engine
