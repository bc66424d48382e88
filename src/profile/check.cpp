#include "profile/check.hpp"

#include <array>

#include "profile/checks/checks.hpp"

namespace parley::profile {
namespace {

using base::ErrorCode;

struct Registered {
  std::string_view name;
  base::Result<checks::CheckPtr> (*make)(json::Value parameters);
};

constexpr std::array<Registered, 3> registered{{
    {"refused_value", checks::refused_value},
    {"same_value", checks::same_value},
    {"string_size", checks::string_size},
}};

}  // namespace

base::Result<json::Pointer> checks::pointer_parameter(json::Value stated, std::string_view name) {
  const auto text = stated.if_string();
  auto pointer = text ? json::Pointer::parse(*text) : base::fail(ErrorCode::PROFILE_INVALID, "no string");
  if (pointer) return pointer;
  return base::fail(ErrorCode::PROFILE_INVALID, '`' + std::string(name) + "` is no JSON Pointer",
                    "/parameters/" + std::string(name));
}

base::Result<BoundCheck> bind_check(std::string_view name, json::Value parameters) {
  for (const Registered& entry : registered) {
    if (entry.name != name) continue;
    PARLEY_TRY(checks::CheckPtr check, entry.make(parameters));
    const std::string hint(parameters.find("hint").if_string().value_or(std::string_view()));
    return BoundCheck{entry.name, Severity::error, false, hint, std::move(check)};
  }
  return base::fail(ErrorCode::PROFILE_INVALID, "There is no check '" + std::string(name) + "'", "/check");
}

}  // namespace parley::profile
