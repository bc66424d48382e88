// Named pure checks: what a profile asks for that no JSON Schema can say. One file a check in checks/, registered as data
// in check.cpp; profile.json binds them to types with parameters.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::profile {

// A check with its parameters, ready to run. Immutable; `run` is pure and appends one Problem per defect, with
// `schema` set to the check's name.
class Check {
 public:
  virtual ~Check() = default;
  virtual void run(json::Value message, std::vector<base::Problem>& problems) const = 0;
};

enum class Severity : std::uint8_t { error, warning };

struct BoundCheck {
  std::string name;
  Severity severity = Severity::error;
  std::shared_ptr<const Check> check;
};

// PROFILE_INVALID where there is no check of this name or its parameters make no sense; `where` is a pointer into them.
base::Result<std::shared_ptr<const Check>> bind_check(std::string_view name, json::Value parameters);

std::vector<std::string_view> check_names();

}  // namespace parley::profile
