#include "schema/patterns.hpp"

#include <utility>

namespace parley::schema {

base::Result<std::uint32_t> Patterns::id_of(std::string_view pattern) {
  const auto known = ids_.find(pattern);
  if (known != ids_.end()) return known->second;
  PARLEY_TRY(Regex regex, Regex::compile(pattern));
  cost_ += regex.cost();
  if (cost_ > cost_max_)
    return base::fail(base::ErrorCode::SCHEMA_TOO_COMPLEX, "The schema's patterns are too large together.");
  const auto id = static_cast<std::uint32_t>(regexes_.size());
  regexes_.push_back(std::move(regex));
  ids_.emplace(pattern, id);
  return id;
}

}  // namespace parley::schema
