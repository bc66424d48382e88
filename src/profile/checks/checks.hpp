// The checks there are, each in the file of its name: from parameters to a check, or PROFILE_INVALID.
#pragma once
#include "json/pointer.hpp"
#include "profile/check.hpp"

namespace parley::profile::checks {

using CheckPtr = std::shared_ptr<const Check>;

base::Result<CheckPtr> refused_value(json::Value parameters);
base::Result<CheckPtr> same_value(json::Value parameters);
base::Result<CheckPtr> string_size(json::Value parameters);

// A place that the parameters name.
base::Result<json::Pointer> pointer_parameter(json::Value stated, std::string_view name);

}  // namespace parley::profile::checks
