// What a type's schema and named checks find wrong with a message, and the refusal that says so (COR-04, D6).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::ingress {

struct Defects {
  std::vector<base::Problem> errors;       // the schema's, then the checks'; at most details_max, and those of the
                                           // envelope before others
  std::size_t found = 0;                   // errors, also those that are not among them
  bool at_least = false;                   // long lists of them were not looked through
  std::vector<base::Problem> warnings;     // of checks that only warn
  std::string hint;                        // of the check that found the first error, where the schema found none
  std::vector<std::string_view> blocking;  // what found errors that lenient validation does not overlook either
};

// Allocates nothing where there is none. Of a private type no value is told (R25).
Defects defects_of(json::Value message, const profile::Ruleset& rules, profile::TypeIndex type);

// R5: no id can be read there, without which the message cannot be routed.
void add_unrouted(const std::string& pointer, Defects& defects);
// The errors that block in lenient validation come before those that it overlooks (BEY-02).
void put_blocking_first(Defects& defects);

// SCHEMA with the errors in `details`.
std::unexpected<base::Error> refusal(const profile::MessageType& type, Defects defects);

// R5: what is recorded of a message that is taken all the same; the last says how many more there are.
std::vector<base::Problem> recorded(Defects defects);

}  // namespace parley::ingress
