#include "schema/number_range.hpp"

#include <algorithm>
#include <numeric>

namespace parley::schema {
namespace {

// The last value for which `holds` is what it is for the first of all. It changes once.
template <class Holds>
std::int64_t last_before_change(const Holds& holds) {
  const bool at_first = holds(INT64_MIN);
  std::int64_t before = INT64_MIN, after = INT64_MAX;
  while (after != before + 1) {
    const std::int64_t middle = std::midpoint(before, after);
    (holds(middle) == at_first ? before : after) = middle;
  }
  return before;
}

// The bounds as a range of int64, found by bisection on the exact comparison: simple, and right at every edge.
void narrow_integers(NumberRule& rule) {
  const auto low_enough = [&](std::int64_t value) {  // value is over no maximum
    const json::Number n = json::Number::of(value);
    return !(rule.has[NumberRule::maximum] && compare(n, rule.bound[NumberRule::maximum]) > 0) &&
           !(rule.has[NumberRule::exclusive_maximum] && compare(n, rule.bound[NumberRule::exclusive_maximum]) >= 0);
  };
  const auto high_enough = [&](std::int64_t value) {
    const json::Number n = json::Number::of(value);
    return !(rule.has[NumberRule::minimum] && compare(n, rule.bound[NumberRule::minimum]) < 0) &&
           !(rule.has[NumberRule::exclusive_minimum] && compare(n, rule.bound[NumberRule::exclusive_minimum]) <= 0);
  };
  if (!low_enough(INT64_MIN) || !high_enough(INT64_MAX)) {
    rule.lowest = 1;
    rule.highest = 0;
    return;
  }
  if (!high_enough(INT64_MIN)) rule.lowest = last_before_change(high_enough) + 1;
  if (!low_enough(INT64_MAX)) rule.highest = last_before_change(low_enough);
}

void narrow_reals(NumberRule& rule) {
  rule.has_real_range = true;
  for (std::size_t i = 0; i < NumberRule::bound_count; ++i) {
    if (!rule.has[i]) continue;
    const double bound = rule.bound[i].as_double();
    if (compare(rule.bound[i], json::Number::of(bound)) != 0) rule.has_real_range = false;
    if (i == NumberRule::minimum) rule.lowest_real = std::max(rule.lowest_real, bound);
    if (i == NumberRule::exclusive_minimum)
      rule.lowest_real = std::max(rule.lowest_real, std::nextafter(bound, HUGE_VAL));
    if (i == NumberRule::maximum) rule.highest_real = std::min(rule.highest_real, bound);
    if (i == NumberRule::exclusive_maximum)
      rule.highest_real = std::min(rule.highest_real, std::nextafter(bound, -HUGE_VAL));
  }
}

}  // namespace

void narrow(NumberRule& rule) {
  narrow_integers(rule);
  narrow_reals(rule);
}

}  // namespace parley::schema
