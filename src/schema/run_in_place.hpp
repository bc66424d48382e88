// Keywords that apply other schemas to the same instance: references, anyOf, oneOf, not, if, dependentSchemas. (allOf
// is as good as several references.) Part of run.cpp (see run.hpp).
#pragma once
#include <optional>
#include <string>

#include "schema/run.hpp"

namespace parley::schema {

template <bool Explains>
inline bool refer(Run<Explains>& run, const ReferRule& rule, std::uint32_t at, Marks* marks, Trail<Explains> trail) {
  const Link<Explains> keyword(trail.schema(), std::string_view(rule.keyword));
  if (rule.index == none) return run.node(rule.node, at, marks, trail.by(keyword));
  const Link<Explains> index(&keyword, rule.index);
  return run.node(rule.node, at, marks, trail.by(index));
}

template <bool Explains>
inline bool refer_dynamically(Run<Explains>& run, const DynamicRule& rule, std::uint32_t at, Marks* marks,
                              Trail<Explains> trail) {
  NodeId target = rule.fallback;
  for (const Scope* scope = run.scope(); scope; scope = scope->outer)  // the outermost one wins
    if (rule.by_scope[scope->id] != none) target = rule.by_scope[scope->id];
  const Link<Explains> keyword(trail.schema(), std::string_view("$dynamicRef"));
  return run.node(target, at, marks, trail.by(keyword));
}

// A branch has marks of its own, which count only if it holds.
template <bool Explains>
std::optional<Marks> marks_apart(const Run<Explains>& run, const Marks* marks, std::uint32_t at) {
  return marks ? std::optional<Marks>(run.tape.size_of(at)) : std::nullopt;
}

template <bool Explains>
inline bool branch_holds(Run<Explains>& run, NodeId id, std::uint32_t at, Marks* marks) {
  std::optional<Marks> own = marks_apart(run, marks, at);
  if (!run.holds(id, at, own ? &*own : nullptr)) return false;
  if (own) marks->add(*own);
  return true;
}

// None of the branches fits: the one that comes nearest is explained, where one does.
inline void explain_branches(Run<true>& run, const BranchesRule& rule, std::string_view keyword, std::uint32_t at,
                             Marks* marks, Trail<true> trail) {
  if (marks) marks->set_all();  // or every member of every branch would be reported as unevaluated
  const Link<true> link(trail.schema(), keyword);
  Report best;
  std::size_t least = SIZE_MAX;
  bool tie = false;
  std::string summary;
  for (std::uint32_t i = 0; i < rule.nodes.size() && !run.is_exhausted(); ++i) {
    Report report{.problems_max = 16, .hide_values = run.reported().hide_values};
    std::optional<Marks> own = marks_apart(run, marks, at);
    const Link<true> index(&link, i);
    run.node_apart(rule.nodes[i], at, own ? &*own : nullptr, trail.by(index), report);
    if (!report.problems.empty()) summary.append(i ? "; " : "").append(report.problems[0].message);
    const std::size_t far = report.distance(depth_of(trail.instance()));
    tie = far == least || (tie && far > least);
    if (far >= least) continue;
    least = far;
    best = std::move(report);
  }
  if (tie || best.problems.empty())
    return run.report(trail, keyword,
                      "none of the " + std::to_string(rule.nodes.size()) +
                          " alternatives fits: " + shortened(std::move(summary), 256));
  run.reported().take_over(std::move(best));
}

template <bool Explains>
inline bool any_of(Run<Explains>& run, const BranchesRule& rule, std::uint32_t at, Marks* marks,
                   Trail<Explains> trail) {
  bool any = false;
  for (const NodeId id : rule.nodes) {
    any = branch_holds(run, id, at, marks) || any;
    if (run.is_exhausted()) return false;
    if (any && !marks) return true;
  }
  if (any) return true;
  if constexpr (Explains) explain_branches(run, rule, "anyOf", at, marks, trail);
  return false;
}

template <bool Explains>
inline bool one_of(Run<Explains>& run, const BranchesRule& rule, std::uint32_t at, Marks* marks,
                   Trail<Explains> trail) {
  std::uint32_t first = none;
  for (std::uint32_t i = 0; i < rule.nodes.size(); ++i) {
    const bool good = branch_holds(run, rule.nodes[i], at, marks);
    if (run.is_exhausted()) return false;
    if (!good) continue;
    if (first != none) {
      if constexpr (Explains) {
        if (marks) marks->set_all();
        run.report(trail, "oneOf",
                   "expected exactly one of the alternatives to fit; " + std::to_string(first) + " and " +
                       std::to_string(i) + " do");
      }
      return false;
    }
    first = i;
  }
  if (first != none) return true;
  if constexpr (Explains) explain_branches(run, rule, "oneOf", at, marks, trail);
  return false;
}

template <bool Explains>
inline bool negate(Run<Explains>& run, const NegationRule& rule, std::uint32_t at, Trail<Explains> trail) {
  if (!run.holds(rule.node, at, nullptr)) return !run.is_exhausted();
  if constexpr (Explains) {
    if (rule.why.empty())
      run.report(trail, "not", "expected what does not fit the schema under `not`", at);
    else
      run.report(trail, "not", "found " + run.found(at) + ": " + rule.why);
  }
  return false;
}

template <bool Explains>
inline bool conditional(Run<Explains>& run, const ConditionalRule& rule, std::uint32_t at, Marks* marks,
                        Trail<Explains> trail) {
  const bool met = branch_holds(run, rule.condition, at, marks);
  const NodeId id = met ? rule.then : rule.otherwise;
  if (run.is_exhausted() || id == none) return !run.is_exhausted();
  const Link<Explains> keyword(trail.schema(), std::string_view(met ? "then" : "else"));
  return run.node(id, at, marks, trail.by(keyword));
}

template <bool Explains>
inline bool depend(Run<Explains>& run, const DependRule& rule, std::uint32_t at, Marks* marks, Trail<Explains> trail) {
  if (!run.spend(run.tape.size_of(at) / 4) || !run.tape.value(at).find(rule.name)) return !run.is_exhausted();
  const Link<Explains> keyword(trail.schema(), std::string_view("dependentSchemas"));
  const Link<Explains> name(&keyword, std::string_view(rule.name));
  return run.node(rule.node, at, marks, trail.by(name));
}

}  // namespace parley::schema
