#include "broker/review_results.hpp"

#include "ingress/field.hpp"

namespace parley::broker {

json::Value ReviewResult::field(std::string_view name) const {
  return ingress::field_of(document.root(), *rules, name);
}

base::Result<std::optional<ReviewResult>> ReviewResults::read(const engine::Review& review) const {
  const profile::Ruleset* const rules = rules_of(review);
  if (!review.result || !rules) return std::nullopt;
  PARLEY_TRY(const std::string_view body, history_.body(*review.result));
  PARLEY_TRY(json::Document document, json::Document::parse(body));
  return ReviewResult{std::move(document), rules, body.size()};
}

const profile::Ruleset* ReviewResults::rules_of(const engine::Review& review) const {
  return ruleset_of_(registry_.agent(review.reviewer).properties.profile);
}

}  // namespace parley::broker
