// Defects of a profile's data as they are found: each with its file and place, "profile.json#/types/3/kind". Value
// type.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace parley::profile {

class Problems {
 public:
  void add(std::string_view file, std::string_view pointer, std::string_view rule, std::string message) {
    found_.push_back({std::string(file) + '#' + std::string(pointer), std::string(rule), std::move(message)});
  }
  void add(std::string_view file, const std::vector<base::Problem>& problems) {
    for (const base::Problem& p : problems) add(file, p.instance, p.schema, p.message);
  }

  bool empty() const { return found_.empty(); }
  const std::vector<base::Problem>& all() const { return found_; }

  // PROFILE_INVALID with all of them.
  std::unexpected<base::Error> refusal(std::string_view profile) const {
    base::Error error{base::ErrorCode::PROFILE_INVALID, {}, {}, found_.front().instance, {}, found_};
    error.message = "Profile '" + std::string(profile) + "' has " + std::to_string(found_.size()) +
                    " defects; first: " + found_.front().message;
    return std::unexpected(std::move(error));
  }

 private:
  std::vector<base::Problem> found_;
};

}  // namespace parley::profile
