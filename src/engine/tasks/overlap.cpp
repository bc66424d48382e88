#include "engine/tasks/overlap.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/glob_overlap.hpp"
#include "base/quoted.hpp"

namespace parley::engine {
namespace {

using base::quoted;

// D11: a fraction of a millisecond.
constexpr std::size_t overlap_looks = 1'000;     // tasks that may have files in common
constexpr std::uint64_t overlap_steps = 50'000;  // of all comparisons
constexpr std::size_t overlaps_named = 3;

// The first two globs that one file may match.
using Pair = std::pair<std::string_view, std::string_view>;
std::optional<Pair> common(const Globs& one, const base::PackedTexts& other, std::uint64_t& steps) {
  for (const std::string& a : one)
    for (const std::string_view b : other) {
      if (steps + a.size() * b.size() > overlap_steps) return std::nullopt;
      if (base::globs_overlap(a, b, steps)) return Pair(a, b);
    }
  return std::nullopt;
}

// Each once, the oldest first.
std::vector<Offset> near(const Tasks& tasks, const Globs& scope) {
  std::vector<Offset> offsets;
  const std::size_t of_each =
      scope.empty() ? 0 : std::max<std::size_t>(overlap_looks / static_cast<std::size_t>(scope.size()), 1);
  for (const std::string& glob : scope)
    for (const Offset offset : tasks.scopes().near(glob, of_each)) offsets.push_back(offset);
  std::ranges::sort(offsets);
  offsets.erase(std::ranges::unique(offsets).begin(), offsets.end());
  return offsets;
}

bool waits_for(const std::vector<Dependency>& on, std::string_view task) {
  return std::ranges::any_of(on, [task](const Dependency& d) { return !d.soft && d.id.view() == task; });
}

}  // namespace

std::string overlaps(const Workspace& workspace, std::string_view task, const Globs& scope,
                     const std::vector<Dependency>& on) {
  std::string text;
  std::size_t found = 0;
  std::uint64_t steps = 0;
  for (const Offset offset : near(workspace.tasks, scope)) {
    if (steps > overlap_steps || found == overlaps_named) return text;
    const Task& other = workspace.tasks.at(offset);
    if (other.id.view() == task || waits_for(on, other.id.view())) continue;
    const TaskDependencies* const of_other = workspace.dependencies.find(other.id.view());
    if (of_other && waits_for(of_other->on, task)) continue;
    const auto pair = common(scope, other.terms.scope, steps);
    if (!pair) continue;
    text += (found++ > 0 ? "; " : "") + std::string("with task ") + quoted(other.id.view()) + " of " +
            quoted(workspace.registry.agent(other.assignee).id) + " (" + std::string(machine::task::name(other.state)) +
            ") in " + quoted(pair->first);
    if (pair->first != pair->second) text += " and " + quoted(pair->second);
  }
  return text;
}

}  // namespace parley::engine
