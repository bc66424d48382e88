// What no other keyword beside it or under it looked at, by the instance's marks. Part of run.cpp (see run.hpp).
#pragma once
#include "schema/run_objects.hpp"

namespace parley::schema {

template <bool Explains>
inline bool unevaluated_items(Run<Explains>& run, const UnevaluatedRule& rule, std::uint32_t at, Marks& marks,
                              Trail<Explains> trail) {
  bool good = true;
  std::uint32_t ordinal = 0;
  const std::size_t found_before = run.count_found();
  const Link<Explains> keyword(trail.schema(), std::string_view("unevaluatedItems"));
  const std::uint32_t end = run.tape.end_of(at);
  for (std::uint32_t element = at + 1; element < end; element = run.tape.next(element), ++ordinal) {
    if (marks.has(ordinal)) continue;
    if (run.leaves_rest_of_list(found_before)) break;
    const Link<Explains> instance(trail.instance(), ordinal);
    good = run.node(rule.node, element, nullptr, trail.in(instance).by(keyword)) && good;
    if ((!Explains && !good) || run.is_exhausted()) return false;
  }
  marks.set_all();
  return good;
}

template <bool Explains>
inline bool unevaluated_properties(Run<Explains>& run, const UnevaluatedRule& rule, std::uint32_t at, Marks& marks,
                                   Trail<Explains> trail) {
  bool good = true;
  std::uint32_t ordinal = 0;
  const std::size_t found_before = run.count_found();
  const Link<Explains> keyword(trail.schema(), std::string_view("unevaluatedProperties"));
  const std::uint32_t end = run.tape.end_of(at);
  for (std::uint32_t key = at + 1; key < end; key = run.tape.next(key + 1), ++ordinal) {
    if (marks.has(ordinal)) continue;
    if (run.leaves_rest_of_list(found_before)) break;
    good = member_fits(run, rule.node, key, trail, keyword) && good;
    if ((!Explains && !good) || run.is_exhausted()) return false;
  }
  marks.set_all();
  return good;
}

}  // namespace parley::schema
