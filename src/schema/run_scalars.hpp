// What is said of a value by itself: const and enum, numbers, strings. Part of run.cpp (see run.hpp).
#pragma once
#include <algorithm>
#include <string>

#include "json/writer.hpp"
#include "schema/run.hpp"

namespace parley::schema {

template <bool Explains>
inline bool is_among(Run<Explains>& run, const std::vector<ValuesRule::Other>& others, std::uint32_t at) {
  constexpr std::size_t few = 4;
  if (others.empty()) return false;
  const json::Value value = run.tape.value(at);
  const std::uint32_t cost = (run.tape.next(at) - at) / 8;
  if (!run.spend(cost)) return false;
  if (others.size() <= few)
    return std::any_of(others.begin(), others.end(), [&](const auto& other) { return equal(other.value, value); });
  const std::uint64_t hash = json::hash(value);
  auto other = std::lower_bound(others.begin(), others.end(), hash,
                                [](const ValuesRule::Other& o, std::uint64_t h) { return o.hash < h; });
  for (; other != others.end() && other->hash == hash && run.spend(cost); ++other)
    if (equal(other->value, value)) return true;
  return false;
}

inline std::string wanted_text(const ValuesRule& rule) {
  std::string wanted;
  for (const std::string& string : rule.strings.keys()) {
    wanted += wanted.empty() ? "" : ", ";
    json::append_string(wanted, string);
  }
  for (const auto& other : rule.others) wanted.append(wanted.empty() ? "" : ", ").append(json::to_text(other.value));
  return shortened(std::move(wanted), 256);
}

template <bool Explains>
inline bool check_values(Run<Explains>& run, const ValuesRule& rule, std::uint32_t at, Trail<Explains> trail) {
  if (run.tape.tag(at) == '"') {
    if (rule.strings.find(run.tape.text(at)) != KeyTable::missing) return true;
  } else if (is_among(run, rule.others, at)) {
    return true;
  }
  if constexpr (Explains)
    run.report(trail, rule.is_const ? "const" : "enum",
               (rule.is_const ? "expected " : "expected one of ") + wanted_text(rule), at);
  return false;
}

template <bool Explains>
inline bool check_bounds(Run<Explains>& run, const NumberRule& rule, const json::Number& number, std::uint32_t at,
                         Trail<Explains> trail) {
  using Bound = NumberRule::Bound;
  bool good = true;
  const auto check = [&](Bound bound, bool holds, std::string_view keyword, std::string_view words) {
    if (!rule.has[bound] || holds) return;
    good = false;
    if constexpr (Explains)
      run.report(trail, keyword, "expected " + std::string(words) + number_text(rule.bound[bound]), at);
  };
  check(Bound::minimum, compare(number, rule.bound[Bound::minimum]) >= 0, "minimum", "at least ");
  check(Bound::exclusive_minimum, compare(number, rule.bound[Bound::exclusive_minimum]) > 0, "exclusiveMinimum",
        "more than ");
  check(Bound::maximum, compare(number, rule.bound[Bound::maximum]) <= 0, "maximum", "at most ");
  check(Bound::exclusive_maximum, compare(number, rule.bound[Bound::exclusive_maximum]) < 0, "exclusiveMaximum",
        "less than ");
  return good;
}

// Most numbers are decided by a range of what they are held as.
template <bool Explains>
inline bool check_number(Run<Explains>& run, const NumberRule& rule, std::uint32_t at, Trail<Explains> trail) {
  if (run.tape.tag(at) == 'l' && !rule.has_multiple) [[likely]] {
    const std::int64_t number = run.tape.integer(at);
    if (number >= rule.lowest && number <= rule.highest) return true;
    if (!Explains) return false;
  }
  const json::Number number = run.tape.value(at).as_number();
  if (number.kind == json::Number::Kind::real && rule.has_real_range && !rule.has_multiple) {
    if (number.d >= rule.lowest_real && number.d <= rule.highest_real) return true;
    if (!Explains) return false;
  }
  bool good = check_bounds(run, rule, number, at, trail);
  if (rule.has_multiple && !is_multiple(number, rule.multiple)) {
    good = false;
    if constexpr (Explains) run.report(trail, "multipleOf", "expected a multiple of " + number_text(rule.multiple), at);
  }
  return good;
}

inline std::string wanted_text(const StringRule& rule, const Regex& regex) {
  return rule.such_as.empty() ? "expected text that matches " + regex.source()
                              : "expected text such as " + rule.such_as;
}

// A code point has one to four bytes: most lengths are decided without counting.
inline bool surely_fits(const StringRule& rule, std::size_t bytes) {
  return (bytes + 3) / 4 >= rule.least && bytes <= rule.most;
}

template <bool Explains>
inline bool check_string(Run<Explains>& run, const StringRule& rule, std::uint32_t at, Trail<Explains> trail) {
  const std::string_view string = run.tape.text(at);
  bool good = true;
  if (!surely_fits(rule, string.size())) {
    if (!run.spend(static_cast<std::int64_t>(string.size() / 64))) return false;
    good = check_count(run, json::code_points(string), {rule.least, rule.most, "minLength", "maxLength", "characters"},
                       trail);
    if (!Explains && !good) return false;
  }
  if (rule.pattern != none) {
    const Regex& regex = run.code.regexes[rule.pattern];
    if (!run.spend(static_cast<std::int64_t>(1 + string.size() / 16))) return false;
    if (!regex.matches(string)) {
      if constexpr (Explains) run.report(trail, "pattern", wanted_text(rule, regex), at);
      return false;
    }
  }
  if (rule.format && !rule.format(string)) {
    if constexpr (Explains) run.report(trail, "format", "expected text of the format " + rule.format_name, at);
    return false;
  }
  return good;
}

}  // namespace parley::schema
