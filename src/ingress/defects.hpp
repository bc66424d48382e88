// What a type's schema and named checks find wrong with a message, and the refusal that says so (COR-04, D6).
#pragma once
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "profile/reading.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

// The schema's; at most details_max. Of a private type no value is told (R25).
std::vector<base::Problem> schema_defects(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type);

// SCHEMA with every defect in `details`.
std::unexpected<base::Error> schema_refusal(const profile::MessageType& type, std::vector<base::Problem> defects);

// The named checks: a refusal with the code of the first that found something, or the warnings of those that only warn.
base::Result<> run_checks(json::Value message, const std::vector<profile::BoundCheck>& checks,
                          std::vector<base::Problem>& warnings);

}  // namespace parley::ingress
