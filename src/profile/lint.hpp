// What a profile may still get wrong that a message would only show later: places its schemas do not know, ids without
// bounds, required canonical fields left out, priority words that nothing reads, examples that are missing or not
// valid.
#pragma once
#include <vector>

#include "base/result.hpp"
#include "profile/files.hpp"

namespace parley::profile {

// Empty: the profile is in order. Each defect: `instance` "file#/place", `schema` the rule, `message` what is so.
std::vector<base::Problem> lint(const Files& files);

}  // namespace parley::profile
