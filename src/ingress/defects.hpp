// What a type's schema and named checks find wrong with a message, and the refusal that says so (COR-04, D6).
#pragma once
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

struct Defects {
  std::vector<base::Problem> errors;    // the schema's first, then the checks'; at most details_max
  std::vector<base::Problem> warnings;  // of checks that only warn
};

// Of a private type no value is told (R25).
Defects defects_of(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type);

// SCHEMA with every defect in `details`.
std::unexpected<base::Error> refusal(const profile::MessageType& type, std::vector<base::Problem> errors);

}  // namespace parley::ingress
