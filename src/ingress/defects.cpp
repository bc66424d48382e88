#include "ingress/defects.hpp"

#include <algorithm>

#include "ingress/check.hpp"
#include "profile/reading.hpp"

namespace parley::ingress {
namespace {

// Each problem named after its check, the hint behind what is so.
void run(const profile::BoundCheck& bound, json::Value message, std::vector<base::Problem>& problems) {
  const std::size_t before = problems.size();
  bound.check->run(message, problems);
  if (problems.size() > details_max) problems.resize(std::max(before, details_max));
  for (std::size_t i = before; i < problems.size(); ++i) {
    problems[i].schema = bound.name;
    if (!bound.hint.empty()) problems[i].message += ' ' + bound.hint;
  }
}

void run_checks(json::Value message, const std::vector<profile::BoundCheck>& checks, Defects& defects) {
  for (const profile::BoundCheck& bound : checks) {
    if (bound.severity == profile::Severity::warning) {
      run(bound, message, defects.warnings);
      continue;
    }
    const std::size_t before = defects.errors.size();
    run(bound, message, defects.errors);
    if (defects.errors.size() == before) continue;
    if (before == 0) defects.hint = bound.hint;
    defects.refuse_lenient |= bound.also_lenient;
  }
}

}  // namespace

Defects defects_of(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type) {
  const profile::TypeReading& reading = rules.reading->types[type.value];
  const schema::Program& program = rules.reading->programs[reading.program];
  Defects defects;
  if (!program.accepts(message)) defects.errors = program.explain(message, {details_max, rules.type(type).is_private});
  run_checks(message, reading.checks, defects);
  return defects;
}

std::unexpected<base::Error> refusal(const profile::MessageType& type, Defects defects) {
  const std::size_t count = defects.errors.size();
  base::Error error{base::ErrorCode::SCHEMA, {}, std::move(defects.hint), defects.errors.front().instance, {}, {}};
  error.message =
      "The message is no valid '" + type.name + "': " + std::to_string(count) + (count == 1 ? " defect." : " defects.");
  error.details = std::move(defects.errors);
  return std::unexpected(std::move(error));
}

}  // namespace parley::ingress
