// The profiles in force: the five that the binary carries, later those that workspaces bring, each in its versions.
// Value type, cheap to copy; what it hands out stays valid as long as somebody holds it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "profile/ruleset.hpp"

namespace parley::profile {

class Rulesets {
 public:
  // CONFLICT where this version of this profile is there already.
  base::Result<> add(RulesetPtr ruleset);

  RulesetPtr find(std::string_view name) const;                            // the version added last; null: none
  RulesetPtr find(std::string_view name, std::string_view version) const;  // null: none

 private:
  std::map<std::string, std::vector<RulesetPtr>, std::less<>> by_name_;
};

// Those of the binary. A defect in them is our own bug and stops the process.
Rulesets built_in();

}  // namespace parley::profile
