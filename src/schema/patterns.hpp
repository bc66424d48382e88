// A schema's regular expressions, each compiled once, and what all of them cost. Internal to schema/.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schema/regex.hpp"

namespace parley::schema {

class Patterns {
 public:
  Patterns(std::vector<Regex>& regexes, std::uint32_t cost_max) : regexes_(regexes), cost_max_(cost_max) {}

  base::Result<std::uint32_t> id_of(std::string_view pattern);  // its place among the regexes

 private:
  std::vector<Regex>& regexes_;
  std::map<std::string, std::uint32_t, std::less<>> ids_;
  const std::size_t cost_max_;
  std::size_t cost_ = 0;
};

}  // namespace parley::schema
