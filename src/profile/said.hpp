// What the server says itself, as a native message of a profile (R31): the template of profile.json, filled in.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "json/value.hpp"
#include "profile/ruleset.hpp"

namespace parley::profile {

// A value for `{name}` in a template.
struct Filling {
  std::string_view name;
  std::string value;     // empty: a member that is this alone is left out
  bool json = false;     // a member that is this alone is this JSON value, no string
  json::Value within{};  // a document: a member that is `{name:/place}` alone is the value there, where there is one
};

// The names a template may use.
inline constexpr std::array<std::string_view, 23> filling_names{
    "uuid",   "number",  "seconds", "time",     "to",      "to_type",  "from",     "from_type",
    "task",   "request", "silent",  "error",    "text",    "by",       "decision", "rationale",
    "action", "cleanup", "order",   "attempts", "changes", "deadline", "retries"};

struct Spoken {
  std::string message;  // JSON text
  std::string id;       // of the message, in it
};

// The ruleset says something on this occasion.
Spoken say(const Ruleset& rules, Occasion occasion, std::span<const Filling> fillings);

}  // namespace parley::profile
