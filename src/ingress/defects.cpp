#include "ingress/defects.hpp"

#include <algorithm>

#include "ingress/check.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {
namespace {

// How many there are. Each is named after its check, the hint behind what is so. What lenient validation refuses too is
// named whatever else there is.
std::size_t run(const profile::BoundCheck& bound, json::Value message, std::vector<base::Problem>& problems) {
  std::vector<base::Problem> found;
  bound.check->run(message, found);
  if (!found.empty() && bound.also_lenient && problems.size() == details_max) problems.pop_back();
  for (base::Problem& problem : found) {
    if (problems.size() == details_max) break;
    problem.schema = bound.name;
    if (!bound.hint.empty()) problem.message += ' ' + bound.hint;
    problems.push_back(std::move(problem));
  }
  return found.size();
}

void run_checks(json::Value message, const std::vector<profile::BoundCheck>& checks, Defects& defects) {
  for (const profile::BoundCheck& bound : checks) {
    if (bound.severity == profile::Severity::warning) {
      run(bound, message, defects.warnings);
      continue;
    }
    const std::size_t found = run(bound, message, defects.errors);
    if (found == 0) continue;
    if (defects.found == 0) defects.hint = bound.hint;
    defects.found += found;
    if (bound.also_lenient) defects.blocking.push_back(bound.name);
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
  if (defects.errors.size() == details_max) defects.errors.pop_back();
  defects.errors.push_back({pointer, "routing", "An id is needed here: without it the message cannot be routed."});
  ++defects.found;
  defects.blocking.emplace_back("routing");
}

void put_blocking_first(Defects& defects) {
  std::ranges::stable_partition(defects.errors, [&defects](const base::Problem& problem) {
    return std::ranges::find(defects.blocking, problem.schema) != defects.blocking.end();
  });
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
