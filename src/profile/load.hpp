// From a profile's folder to its compiled rules. Everything is checked that loading needs; lint.hpp checks the rest.
#pragma once
#include "profile/files.hpp"
#include "profile/ruleset.hpp"

namespace parley::profile {

// PROFILE_INVALID with one detail per defect, `instance` being "file#/place".
base::Result<RulesetPtr> load(const Files& files);

}  // namespace parley::profile
