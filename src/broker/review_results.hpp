// The results of reviews as their reviewers wrote them, read from the journal: the state knows how a review ended, not
// what its result says.
#pragma once
#include <optional>
#include <string_view>

#include "broker/history.hpp"
#include "engine/engine.hpp"
#include "json/parser.hpp"

namespace parley::broker {

// A result, with the profile that it is in.
struct ReviewResult {
  json::Document document;
  const profile::Ruleset* rules;  // of its reviewer
  std::uint64_t bytes;

  json::Value field(std::string_view name) const;  // by its canonical name; absent: it has none
};

// Of one workspace. Value type; good for one call.
class ReviewResults {
 public:
  ReviewResults(History& history, const engine::Registry& registry, const engine::RulesetOf& ruleset_of)
      : history_(history), registry_(registry), ruleset_of_(ruleset_of) {}

  // None: there is no result, or its reviewer's profile is gone.
  base::Result<std::optional<ReviewResult>> read(const engine::Review& review) const;
  // Of its reviewer; null: it is gone.
  const profile::Ruleset* rules_of(const engine::Review& review) const;

 private:
  History& history_;
  const engine::Registry& registry_;
  const engine::RulesetOf& ruleset_of_;
};

}  // namespace parley::broker
