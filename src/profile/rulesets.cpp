#include "profile/rulesets.hpp"

#include "base/assert.hpp"
#include "profile/load.hpp"

namespace parley::profile {

base::Result<> Rulesets::add(RulesetPtr ruleset) {
  if (find(ruleset->name, ruleset->version))
    return base::fail(base::ErrorCode::CONFLICT,
                      "Profile '" + ruleset->name + "' is there in version " + ruleset->version + " already",
                      "/version", "Give the changed profile a new version.");
  by_name_[ruleset->name].push_back(std::move(ruleset));
  return {};
}

RulesetPtr Rulesets::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second.back();
}

RulesetPtr Rulesets::find(std::string_view name, std::string_view version) const {
  const auto found = by_name_.find(name);
  if (found != by_name_.end())
    for (const RulesetPtr& ruleset : found->second)
      if (ruleset->version == version) return ruleset;
  return nullptr;
}

Rulesets built_in() {
  Rulesets rulesets;
  for (const std::string& name : built_in_names()) {
    auto loaded = load(built_in_files(name));
    PARLEY_ASSERT(loaded.has_value());
    PARLEY_ASSERT(rulesets.add(std::move(*loaded)).has_value());
  }
  return rulesets;
}

}  // namespace parley::profile
