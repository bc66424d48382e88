#include "ingress/defects.hpp"

#include "ingress/check.hpp"

namespace parley::ingress {
namespace {

// At most details_max. A refusal names the check, a warning its word.
std::vector<base::Problem> problems_of(const profile::BoundCheck& bound, json::Value message) {
  std::vector<base::Problem> problems;
  bound.check->run(message, problems);
  if (problems.size() > details_max) problems.resize(details_max);
  for (base::Problem& problem : problems)
    problem.schema = bound.severity == profile::Severity::error ? bound.name : base::info(bound.code).name;
  return problems;
}

std::unexpected<base::Error> check_refusal(const profile::BoundCheck& bound, std::vector<base::Problem> problems) {
  base::Error error{bound.code, problems.front().instance + ": " + problems.front().message, bound.hint,
                    problems.front().instance, {}, {}};
  error.details = std::move(problems);
  return std::unexpected(std::move(error));
}

}  // namespace

std::vector<base::Problem> schema_defects(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type) {
  const profile::Reading& reading = *rules.reading;
  const schema::Program& program = reading.programs[reading.types[type.value].program];
  if (program.accepts(message)) return {};
  return program.explain(message, {details_max, rules.type(type).is_private});
}

std::unexpected<base::Error> schema_refusal(const profile::MessageType& type, std::vector<base::Problem> defects) {
  base::Error error{base::ErrorCode::SCHEMA, {}, {}, defects.front().instance, {}, {}};
  error.message = "The message breaks the schema of '" + type.name + "' in " + std::to_string(defects.size()) +
                  (defects.size() == 1 ? " place." : " places.");
  error.details = std::move(defects);
  return std::unexpected(std::move(error));
}

base::Result<> run_checks(json::Value message, const std::vector<profile::BoundCheck>& checks,
                          std::vector<base::Problem>& warnings) {
  for (const profile::BoundCheck& bound : checks) {
    std::vector<base::Problem> problems = problems_of(bound, message);
    if (problems.empty()) continue;
    if (bound.severity == profile::Severity::error) return check_refusal(bound, std::move(problems));
    for (base::Problem& problem : problems) {
      if (!bound.hint.empty()) problem.message += ' ' + bound.hint;
      warnings.push_back(std::move(problem));
    }
  }
  return {};
}

}  // namespace parley::ingress
