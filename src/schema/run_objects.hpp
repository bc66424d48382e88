// What is said of an object: its members, how many there are and which must be. Part of run.cpp (see run.hpp).
#pragma once
#include <string>

#include "schema/run.hpp"

namespace parley::schema {

template <bool Explains>
inline bool check_member_count(Run<Explains>& run, const ObjectRule& rule, std::uint32_t at, Trail<Explains> trail) {
  if (rule.least == 0 && rule.most == none) return true;
  return check_count(run, run.tape.size_of(at), {rule.least, rule.most, "minProperties", "maxProperties", "members"},
                     trail);
}

template <bool Explains>
inline bool has_name(Run<Explains>& run, const ObjectRule& rule, std::uint32_t name, std::uint64_t present,
                     std::uint32_t at) {
  if (rule.uses_bits) return (present & rule.properties[name].presence) != 0;
  return run.spend(1 + run.tape.size_of(at) / 4) && run.tape.value(at).find(rule.names.keys()[name]);
}

// Whether those are there that must be; `present` are the bits of those that are.
template <bool Explains>
inline bool check_presence(Run<Explains>& run, const ObjectRule& rule, std::uint64_t present, std::uint32_t at,
                           Trail<Explains> trail) {
  if (!Explains && rule.uses_bits) {
    if ((present & rule.required) != rule.required) return false;
    for (const auto& dependency : rule.dependencies)
      if ((present & dependency.trigger) && (present & dependency.required) != dependency.required) return false;
    return true;
  }
  bool good = true;
  const auto demand = [&](std::uint32_t name, std::string_view keyword, std::uint32_t because) {
    if (has_name(run, rule, name, present, at)) return;
    good = false;
    if constexpr (Explains) {
      std::string message = "expected the member \"" + rule.names.keys()[name] + "\"";
      if (because != none) message += ", which \"" + rule.names.keys()[because] + "\" requires";
      run.report(trail, keyword, message);
    }
  };
  for (const std::uint32_t name : rule.required_names) demand(name, "required", none);
  for (const auto& dependency : rule.dependencies) {
    if (!has_name(run, rule, dependency.name, present, at)) continue;
    for (const std::uint32_t name : dependency.needed) demand(name, "dependentRequired", dependency.name);
  }
  return good;
}

// The value of the member whose key is at `key`.
template <bool Explains>
inline bool member_fits(Run<Explains>& run, NodeId id, std::uint32_t key, Trail<Explains> trail,
                        const Link<Explains>& keyword) {
  const Link<Explains> instance(trail.instance(), run.tape.text(key));
  return run.node(id, key + 1, nullptr, trail.by(keyword).in(instance));
}

template <bool Explains>
inline bool property_fits(Run<Explains>& run, NodeId id, std::uint32_t key, Trail<Explains> trail) {
  const Link<Explains> keyword(trail.schema(), std::string_view("properties"));
  return member_fits(run, id, key, trail, Link<Explains>(&keyword, run.tape.text(key)));
}

// A name has no place of its own: its defects are the object's.
template <bool Explains>
inline bool name_fits(Run<Explains>& run, NodeId id, std::uint32_t key, Trail<Explains> trail) {
  const Link<Explains> keyword(trail.schema(), std::string_view("propertyNames"));
  return run.node(id, key, nullptr, trail.by(keyword));
}

// `any` becomes true where a pattern matched the name.
template <bool Explains>
inline bool patterns_fit(Run<Explains>& run, const ObjectRule& rule, std::uint32_t key, Trail<Explains> trail,
                         bool& any) {
  bool good = true;
  const std::string_view name = run.tape.text(key);
  for (const ObjectRule::Pattern& pattern : rule.patterns) {
    const Regex& regex = run.code.regexes[pattern.regex];
    if (!run.spend(static_cast<std::int64_t>(1 + name.size() / 16)) || !regex.matches(name)) continue;
    any = true;
    const Link<Explains> keyword(trail.schema(), std::string_view("patternProperties"));
    good =
        member_fits(run, pattern.node, key, trail, Link<Explains>(&keyword, std::string_view(regex.source()))) && good;
  }
  return good;
}

template <bool Explains>
inline bool additional_fits(Run<Explains>& run, NodeId id, std::uint32_t key, Trail<Explains> trail) {
  return member_fits(run, id, key, trail, Link<Explains>(trail.schema(), std::string_view("additionalProperties")));
}

// The usual schema on the hot path: names alone decide which node a member has.
inline bool accept_object(Run<false>& run, const ObjectRule& rule, std::uint32_t at) {
  if (!check_member_count(run, rule, at, {}) || !run.spend(run.tape.size_of(at))) return false;
  std::uint64_t present = 0;
  std::uint32_t guess = 0;
  const std::uint32_t end = run.tape.end_of(at);
  for (std::uint32_t key = at + 1; key < end; key = run.tape.next(key + 1)) {
    const std::uint32_t found = rule.names.find(run.tape.text(key), guess);
    NodeId id = rule.additional;
    if (found != KeyTable::missing) [[likely]] {
      guess = found + 1;
      present |= rule.properties[found].presence;
      if (rule.properties[found].node != none) id = rule.properties[found].node;
    }
    if (id != none && !run.enter(id, key + 1, nullptr, {})) return false;
  }
  return check_presence(run, rule, present, at, {});
}

template <bool Explains>
inline bool check_object(Run<Explains>& run, const ObjectRule& rule, std::uint32_t at, Marks* marks,
                         Trail<Explains> trail) {
  if constexpr (!Explains)
    if (rule.is_simple && !marks) return accept_object(run, rule, at);
  if (!run.spend(run.tape.size_of(at))) return false;
  std::uint64_t present = 0;
  std::uint32_t ordinal = 0;
  std::size_t found_in_others = 0;  // members that the schema does not name are a list
  bool good = check_member_count(run, rule, at, trail);
  if (!Explains && !good) return false;
  const std::uint32_t end = run.tape.end_of(at);
  for (std::uint32_t key = at + 1; key < end; key = run.tape.next(key + 1), ++ordinal) {
    const std::uint32_t found = rule.names.find(run.tape.text(key));
    bool evaluated = false;
    if (found != KeyTable::missing) {
      const ObjectRule::Property& property = rule.properties[found];
      present |= property.presence;
      if (property.node != none) {
        evaluated = true;
        good = property_fits(run, property.node, key, trail) && good;
      }
    }
    const std::size_t found_before = run.count_found();
    if (run.leaves_rest_of_list(found_before - found_in_others)) {
      if (marks) marks->set(ordinal);
      continue;
    }
    if (rule.property_names != none) good = name_fits(run, rule.property_names, key, trail) && good;
    good = patterns_fit(run, rule, key, trail, evaluated) && good;
    if (!evaluated && rule.additional != none) {
      evaluated = true;
      good = additional_fits(run, rule.additional, key, trail) && good;
    }
    if (!Explains && !good) return false;
    if (run.is_exhausted()) return false;
    found_in_others += run.count_found() - found_before;
    if (evaluated && marks) marks->set(ordinal);
  }
  return check_presence(run, rule, present, at, trail) && good;
}

}  // namespace parley::schema
