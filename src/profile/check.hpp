// Named pure checks: what a profile asks for that no JSON Schema can say. One file a check in checks/, registered as
// data in check.cpp; profile.json binds them to types with parameters.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::profile {

// A check with its parameters. Immutable; `run` is pure. What is not there, or of another type than the check works on,
// is the schema's business.
class Check {
 public:
  virtual ~Check() = default;

  // Appends one Problem a defect: `instance` the place, `message` what is so; `schema` is set by the caller.
  virtual void run(json::Value message, std::vector<base::Problem>& problems) const = 0;
};

enum class Severity : std::uint8_t { error, warning };

// A check as a profile uses it.
struct BoundCheck {
  std::string_view name;  // "same_value"
  Severity severity = Severity::error;
  bool also_lenient = false;  // the error refuses in lenient validation too, where others are recorded
  std::string hint;           // what to do next, in the profile's words
  std::shared_ptr<const Check> check;
};

// PROFILE_INVALID where there is no check of this name or its parameters make no sense; `where` is a pointer below the
// profile's use of it.
base::Result<BoundCheck> bind_check(std::string_view name, json::Value parameters);

}  // namespace parley::profile
