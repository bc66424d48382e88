// What `parley validate` says of one document: which profile it is of, and what strict and lenient validation make of
// it (R5), by the same pipeline that the server runs (ingress).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "profile/ruleset.hpp"

namespace parley::cli {

struct Assessment {
  std::string profile;
  std::string type;        // the profile's word; empty where none was recognised
  std::string kind;        // canonical
  std::string message_id;  // as it says
  std::string timestamp;
  std::vector<base::Problem> warnings;
  std::optional<base::Error> strict;   // the refusal; none: accepted
  std::optional<base::Error> lenient;  // likewise
};

// By one profile; or, where `profile` is empty, by the built-in one that fits best: one that accepts it strictly, then
// leniently, then one that has its type. PROFILE_UNKNOWN, BAD_JSON; TYPE_UNKNOWN where no profile has its type.
base::Result<Assessment> assess(std::string_view bytes, std::string_view profile);

}  // namespace parley::cli
