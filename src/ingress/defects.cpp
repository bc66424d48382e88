#include "ingress/defects.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "ingress/check.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {
namespace {

// Each is named after its check, the hint behind what is so.
std::vector<base::Problem> found_by(const profile::BoundCheck& bound, json::Value message) {
  std::vector<base::Problem> found;
  bound.check->run(message, found);
  for (base::Problem& problem : found) {
    problem.schema = bound.name;
    if (!bound.hint.empty()) problem.message += ' ' + bound.hint;
  }
  return found;
}

void add(std::vector<base::Problem> found, std::vector<base::Problem>& problems) {
  const std::size_t room = details_max - problems.size();
  for (base::Problem& problem : found | std::views::take(room)) problems.push_back(std::move(problem));
}

auto blocks(const Defects& defects) {
  return [&blocking = defects.blocking](const base::Problem& problem) {
    return std::ranges::find(blocking, problem.schema) != blocking.end();
  };
}

// What lenient validation refuses too is named whatever else there is: in the place of the last that it overlooks.
void make_room(Defects& defects) {
  if (defects.errors.size() < details_max) return;
  auto last = std::find_if_not(defects.errors.rbegin(), defects.errors.rend(), blocks(defects));
  if (last == defects.errors.rend()) last = defects.errors.rbegin();  // all block
  defects.errors.erase(std::prev(last.base()));
}

void run_checks(json::Value message, const std::vector<profile::BoundCheck>& checks, Defects& defects) {
  for (const profile::BoundCheck& bound : checks) {
    std::vector<base::Problem> found = found_by(bound, message);
    if (bound.severity == profile::Severity::warning) {
      add(std::move(found), defects.warnings);
      continue;
    }
    if (found.empty()) continue;
    if (defects.found == 0) defects.hint = bound.hint;
    defects.found += found.size();
    if (bound.also_lenient) {
      make_room(defects);
      defects.blocking.push_back(bound.name);
    }
    add(std::move(found), defects.errors);
  }
}

}  // namespace

Defects defects_of(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type) {
  const profile::TypeReading& reading = rules.reading->types[type.value];
  const schema::Program& program = rules.reading->programs[reading.program];
  Defects defects;
  if (!program.accepts(message)) {
    schema::Tally tally;
    defects.errors = program.explain(message, {details_max, rules.type(type).is_private}, &tally);
    defects.found = tally.found;
    defects.at_least = tally.at_least;
  }
  run_checks(message, reading.checks, defects);
  return defects;
}

void add_unrouted(const std::string& pointer, Defects& defects) {
  make_room(defects);
  defects.errors.push_back({pointer, "routing", "An id is needed here: without it the message cannot be routed."});
  ++defects.found;
  defects.blocking.emplace_back("routing");
}

void put_blocking_first(Defects& defects) {
  std::ranges::stable_partition(defects.errors, blocks(defects));
}

std::unexpected<base::Error> refusal(const profile::MessageType& type, Defects defects) {
  const std::string named = std::to_string(defects.errors.size());
  auto error = base::fail(base::ErrorCode::SCHEMA,
                          "The message is no valid '" + type.name + "': " + (defects.at_least ? "at least " : "") +
                              std::to_string(defects.found) + (defects.found == 1 ? " defect" : " defects") +
                              (defects.found > defects.errors.size() ? ", " + named + " of them named." : "."),
                          defects.errors.front().instance, std::move(defects.hint));
  error.error().details = std::move(defects.errors);
  return error;
}

std::vector<base::Problem> recorded(Defects defects) {
  const std::size_t named = defects.errors.size();
  if (defects.found > named)
    defects.errors.push_back({"", "MORE_DEFECTS",
                              std::string("The message has ") + (defects.at_least ? "at least " : "") +
                                  std::to_string(defects.found - named) + " more defects."});
  return std::move(defects.errors);
}

}  // namespace parley::ingress
