#include "schema/number_range.hpp"

#include <algorithm>
#include <numeric>

namespace parley::schema {
namespace {

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
  if (!high_enough(INT64_MIN)) {
    std::int64_t below = INT64_MIN, above = INT64_MAX;  // below is refused, above is not
    while (above != below + 1) {
      const std::int64_t middle = std::midpoint(below, above);
      (high_enough(middle) ? above : below) = middle;
    }
    rule.lowest = above;
  }
  if (!low_enough(INT64_MAX)) {
    std::int64_t below = INT64_MIN, above = INT64_MAX;  // above is refused, below is not
    while (above != below + 1) {
      const std::int64_t middle = std::midpoint(below, above);
      (low_enough(middle) ? below : above) = middle;
    }
    rule.highest = below;
  }
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
