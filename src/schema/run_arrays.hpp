// What is said of an array: its elements, how many there are, and that no two are equal. Part of run.cpp (see run.hpp).
#pragma once
#include <string>

#include "schema/run.hpp"
#include "schema/twins.hpp"

namespace parley::schema {

// An element is the subject of prefixItems or, after those, of items.
template <bool Explains>
inline bool element_fits(Run<Explains>& run, const ArrayRule& rule, std::uint32_t ordinal, std::uint32_t element,
                         Trail<Explains> trail) {
  const Link<Explains> instance(trail.instance(), ordinal);
  if (ordinal < rule.prefix.size()) {
    const Link<Explains> keyword(trail.schema(), std::string_view("prefixItems"));
    const Link<Explains> index(&keyword, ordinal);
    return run.node(rule.prefix[ordinal], element, nullptr, trail.in(instance).by(index));
  }
  const Link<Explains> keyword(trail.schema(), std::string_view("items"));
  return run.node(rule.items, element, nullptr, trail.in(instance).by(keyword));
}

template <bool Explains>
inline bool check_elements(Run<Explains>& run, const ArrayRule& rule, std::uint32_t at, Marks* marks,
                           Trail<Explains> trail) {
  bool good = true;
  const std::size_t found_before = run.count_found();
  std::uint32_t ordinal = 0, contained = 0;
  const std::uint32_t end = run.tape.end_of(at);
  for (std::uint32_t element = at + 1; element < end; element = run.tape.next(element), ++ordinal) {
    const bool is_subject = ordinal < rule.prefix.size() || rule.items != none;
    if (!is_subject && rule.contains == none) break;
    if (run.leaves_rest_of_list(found_before)) {
      if (marks) marks->set_all();  // or the rest would be reported as unevaluated
      return false;
    }
    if (is_subject) good = element_fits(run, rule, ordinal, element, trail) && good;
    if (!Explains && !good) return false;
    const bool is_contained = rule.contains != none && run.holds(rule.contains, element, nullptr);
    contained += is_contained;
    if (marks && (is_subject || is_contained)) marks->set(ordinal);
    if (run.is_exhausted()) return false;
  }
  if (rule.contains == none) return good;
  return check_count(run, contained,
                     {rule.contains_least, rule.contains_most, rule.has_min_contains ? "minContains" : "contains",
                      "maxContains", "fitting elements"},
                     trail) &&
         good;
}

template <bool Explains>
inline bool check_unique(Run<Explains>& run, std::uint32_t at, Trail<Explains> trail) {
  const std::optional<Twins> twins = find_twins(run.tape, at, run.budget);
  if (!twins) return !run.is_exhausted();
  if constexpr (Explains)
    run.report(trail, "uniqueItems",
               "expected no two equal elements; elements " + std::to_string(twins->first) + " and " +
                   std::to_string(twins->second) + " are");
  return false;
}

template <bool Explains>
inline bool check_array(Run<Explains>& run, const ArrayRule& rule, std::uint32_t at, Marks* marks,
                        Trail<Explains> trail) {
  const std::uint32_t size = run.tape.size_of(at);
  if (!run.spend(size)) return false;
  bool good = check_count(run, size, {rule.least, rule.most, "minItems", "maxItems", "elements"}, trail);
  if (!Explains && !good) return false;
  if (!rule.prefix.empty() || rule.items != none || rule.contains != none)
    good = check_elements(run, rule, at, marks, trail) && good;
  if (run.is_exhausted() || (!Explains && !good)) return false;
  if (rule.unique) good = check_unique(run, at, trail) && good;
  return good;
}

}  // namespace parley::schema
