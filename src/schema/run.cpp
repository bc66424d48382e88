// A node's steps, and which rule each is.
#include "schema/run.hpp"

#include <algorithm>
#include <array>

#include "base/quoted.hpp"
#include "schema/run_arrays.hpp"
#include "schema/run_in_place.hpp"
#include "schema/run_objects.hpp"
#include "schema/run_scalars.hpp"
#include "schema/run_unevaluated.hpp"

namespace parley::schema {
namespace {

using base::Problem;
using json::Value;

constexpr std::uint32_t depth_max = 1'000;  // nodes inside one another: bounds the stack

struct TagInfo {
  std::uint8_t bit;
  Family family;
};
constexpr std::array<TagInfo, 128> tags = [] {
  std::array<TagInfo, 128> table{};
  table['n'] = {null_bit, plain_family};
  table['t'] = table['f'] = {boolean_bit, plain_family};
  table['l'] = table['u'] = {integer_bit, number_family};
  table['d'] = {real_bit, number_family};
  table['"'] = {string_bit, string_family};
  table['['] = {array_bit, array_family};
  table['{'] = {object_bit, object_family};
  return table;
}();

// A member that the schema does not know is the usual case.
std::string nothing_here(const Trail<true>& trail) {
  const auto* const where = trail.instance();
  const auto* const rule = trail.schema();
  const bool unknown = where && rule && where->index == UINT32_MAX &&
                       (rule->token == "additionalProperties" || rule->token == "unevaluatedProperties");
  return unknown ? "there is no member " + base::quoted(where->token) + " here" : "nothing is allowed here";
}

}  // namespace

// The hottest lines: most instances are scalars that a type and at most one step decide.
template <bool Explains>
inline bool Run<Explains>::enter(NodeId id, std::uint32_t at, Marks* marks, T trail) {
  const Node& node = nodes_[id];
  const TagInfo tag = tags[tape.tag(at) & 127];
  if (!(node.types & tag.bit) && !is_integral_where_allowed(node, at)) [[unlikely]]
    return wrong_type(node, at, trail);
  const Step step = node.only[tag.family];
  switch (step.action) {
    case Action::nothing:
      return true;
    case Action::string:
      return check_string(*this, code.strings[step.rule], at, trail);
    case Action::number:
      return check_number(*this, code.numbers[step.rule], at, trail);
    case Action::values:
      return check_values(*this, code.values[step.rule], at, trail);
    default:
      return run_steps(node, tag.family, at, marks, trail);
  }
}

template <bool Explains>
inline bool Run<Explains>::is_integral_where_allowed(const Node& node, std::uint32_t at) const {
  return (node.types & integer_bit) && tape.tag(at) == 'd' && tape.value(at).as_number().is_integral();
}

template <bool Explains>
inline bool Run<Explains>::wrong_type(const Node& node, std::uint32_t at, T trail) {
  if constexpr (Explains) {
    if (node.never)
      report_here(trail, nothing_here(trail));
    else
      report(trail, "type", "expected " + types_text(node.types), at);
  }
  return false;
}

template <bool Explains>
inline bool Run<Explains>::run_steps(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
  if (!spend(1)) return false;
  if (depth_ >= depth_max) [[unlikely]] {
    budget.exhaust();
    return false;
  }
  ++depth_;
  const Scope entered{node.scope, scope_};
  const Scope* const outer = scope_;
  if (code.is_dynamic && (!scope_ || scope_->id != node.scope)) scope_ = &entered;
  const bool good = node.tracks >> family & 1                  ? run_tracking(node, family, at, marks, trail)
                    : node.only[family].action == Action::list ? run_list(node, family, at, marks, trail)
                                                               : run_step(node.only[family], at, marks, trail);
  scope_ = outer;
  --depth_;
  return good && !is_exhausted();
}

template <bool Explains>
inline bool Run<Explains>::run_list(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
  bool good = true;
  const Step* step = code.steps.data() + node.first[family];
  for (const Step* const end = step + node.count[family]; step != end; ++step) {
    good = run_step(*step, at, marks, trail) && good;
    if ((!Explains && !good) || is_exhausted()) break;
  }
  return good;
}

// unevaluated* sees what its own schema evaluated, not what stands beside it.
template <bool Explains>
inline bool Run<Explains>::run_tracking(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
  Marks own(tape.size_of(at));
  const bool good = run_list(node, family, at, &own, trail);
  if (marks) marks->add(own);
  return good;
}

template <bool Explains>
inline bool Run<Explains>::run_step(Step step, std::uint32_t at, Marks* marks, T trail) {
  switch (step.action) {
    case Action::nothing:
    case Action::list:
      break;
    case Action::values:
      return check_values(*this, code.values[step.rule], at, trail);
    case Action::number:
      return check_number(*this, code.numbers[step.rule], at, trail);
    case Action::string:
      return check_string(*this, code.strings[step.rule], at, trail);
    case Action::object:
      return check_object(*this, code.objects[step.rule], at, marks, trail);
    case Action::array:
      return check_array(*this, code.arrays[step.rule], at, marks, trail);
    case Action::refer:
      return refer(*this, code.references[step.rule], at, marks, trail);
    case Action::refer_dynamically:
      return refer_dynamically(*this, code.dynamic_references[step.rule], at, marks, trail);
    case Action::any_of:
      return any_of(*this, code.branches[step.rule], at, marks, trail);
    case Action::one_of:
      return one_of(*this, code.branches[step.rule], at, marks, trail);
    case Action::not_:
      return negate(*this, code.negations[step.rule], at, trail);
    case Action::conditional:
      return conditional(*this, code.conditionals[step.rule], at, marks, trail);
    case Action::depend:
      return depend(*this, code.dependencies[step.rule], at, marks, trail);
    case Action::unevaluated_items:
      return unevaluated_items(*this, code.unevaluated[step.rule], at, *marks, trail);
    case Action::unevaluated_properties:
      return unevaluated_properties(*this, code.unevaluated[step.rule], at, *marks, trail);
  }
  return true;
}

Verdict Program::check(const Value& document) const {
  return Run<false>(*code_, document, nullptr).check(document.at());
}

std::vector<Problem> Program::explain(const Value& document, const ExplainOptions& options, Tally* tally) const {
  if (tally) *tally = {};
  if (accepts(document)) return {};
  Report report{.problems_max = std::max<std::size_t>(1, options.problems_max), .hide_values = options.hide_values};
  const Verdict verdict = Run<true>(*code_, document, &report).check(document.at());
  if (verdict == Verdict::too_complex && report.problems.empty())
    report.problems.push_back({"", "", "the document takes too many steps to validate against this schema"});
  if (tally) *tally = {std::max(report.found, report.problems.size()), report.cut_short};
  return std::move(report.problems);
}

}  // namespace parley::schema
