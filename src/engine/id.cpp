#include "engine/id.hpp"

#include <algorithm>
#include <array>

namespace parley::engine {
namespace {

constexpr std::array<std::string_view, 9> reserved{"*",     "admin",  "all",    "auto",  "broadcast",
                                                   "human", "parley", "server", "system"};

bool lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Shown in an error: what is printable, and no more than an id may have.
std::string shown(std::string_view id) {
  std::string text;
  for (const char c : id.substr(0, 64)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (id.size() > 64 ? "…" : "");
}

}  // namespace

base::Result<> check_id(std::string_view what, std::string_view id, std::string_view where) {
  const bool fits =
      !id.empty() && id.size() <= 64 && lower_or_digit(id.front()) && id.back() != '.' &&
      std::all_of(id.begin(), id.end(), [](char c) { return lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
  if (fits) return {};
  return base::fail(base::ErrorCode::BAD_ID, "'" + shown(id) + "' cannot be the name of " + std::string(what),
                    std::string(where));
}

base::Result<> check_agent_id(std::string_view id, std::string_view where) {
  if (std::find(reserved.begin(), reserved.end(), id) != reserved.end())
    return base::fail(base::ErrorCode::BAD_ID, "'" + std::string(id) + "' is a reserved name", std::string(where),
                      "Choose another id.");
  return check_id("an agent or a person", id, where);
}

}  // namespace parley::engine
