// Running the code over a document: one evaluator, built twice. `Run<false>` stops at the first defect and keeps no
// trail; `Run<true>` goes on and reports each. Both must always agree whether a document is accepted.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/quoted.hpp"
#include "json/writer.hpp"
#include "schema/code.hpp"
#include "schema/marks.hpp"
#include "schema/program.hpp"
#include "schema/report.hpp"
#include "schema/trail.hpp"

namespace parley::schema {
namespace {

using base::Problem;
using json::Number;
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

// The resources entered on the way here, innermost first.
struct Scope {
  std::uint32_t id;
  const Scope* outer;
};

template <bool Explains>
class Run {
  using L = Link<Explains>;
  using T = Trail<Explains>;

 public:
  Run(const Code& code, const Value& document, Report* report)
      : code_(code),
        nodes_(Explains ? code.nodes.data() : code.short_cuts.data()),
        words_(document.words()),
        strings_(document.strings()),
        steps_left_(static_cast<std::int64_t>(code.steps_max)),
        report_(report) {}

  Verdict check(std::uint32_t at) {
    const bool good = node(code_.root, at, nullptr, T{});
    if (exhausted_) return Verdict::too_complex;
    return good ? Verdict::accepted : Verdict::refused;
  }

 private:
  // --- nodes

  bool node(NodeId id, std::uint32_t at, Marks* marks, T trail) { return enter(id, at, marks, trail); }

  // The hottest lines: most instances are scalars that a type and at most one step decide.
  [[gnu::always_inline]] bool enter(NodeId id, std::uint32_t at, Marks* marks, T trail) {
    const Node& node = nodes_[id];
    const TagInfo tag = tags[words_[at] >> 56 & 127];
    if (!(node.types & tag.bit) && !is_integral_where_allowed(node, at)) [[unlikely]]
      return wrong_type(node, at, trail);
    const Step step = node.only[tag.family];
    switch (step.action) {
      case Action::nothing:
        return true;
      case Action::string:
        return check_string(code_.strings[step.rule], at, trail);
      case Action::number:
        return check_number(code_.numbers[step.rule], at, trail);
      case Action::values:
        return check_values(code_.values[step.rule], at, trail);
      default:
        return run_steps(node, tag.family, at, marks, trail);
    }
  }

  bool is_integral_where_allowed(const Node& node, std::uint32_t at) const {
    return (node.types & integer_bit) && Value::tag_of(words_[at]) == 'd' && value(at).as_number().is_integral();
  }

  bool run_steps(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
    if (!spend(1)) return false;
    if (depth_ >= depth_max) [[unlikely]] {
      exhausted_ = true;
      return false;
    }
    ++depth_;
    const Scope entered{node.scope, scope_};
    const Scope* const outer = scope_;
    if (code_.is_dynamic && (!scope_ || scope_->id != node.scope)) scope_ = &entered;
    const bool good = node.tracks >> family & 1                  ? run_tracking(node, family, at, marks, trail)
                      : node.only[family].action == Action::list ? run_list(node, family, at, marks, trail)
                                                                 : run_step(node.only[family], at, marks, trail);
    scope_ = outer;
    --depth_;
    return good && !exhausted_;
  }

  bool run_list(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
    bool good = true;
    const Step* step = code_.steps.data() + node.first[family];
    for (const Step* const end = step + node.count[family]; step != end; ++step) {
      good = run_step(*step, at, marks, trail) && good;
      if ((!Explains && !good) || exhausted_) break;
    }
    return good;
  }

  // unevaluated* sees what its own schema evaluated, not what stands beside it.
  bool run_tracking(const Node& node, Family family, std::uint32_t at, Marks* marks, T trail) {
    Marks own(size_of(at));
    const bool good = run_list(node, family, at, &own, trail);
    if (marks) marks->add(own);
    return good;
  }

  bool run_step(Step step, std::uint32_t at, Marks* marks, T trail) {
    switch (step.action) {
      case Action::nothing:
      case Action::list:
        break;
      case Action::values:
        return check_values(code_.values[step.rule], at, trail);
      case Action::number:
        return check_number(code_.numbers[step.rule], at, trail);
      case Action::string:
        return check_string(code_.strings[step.rule], at, trail);
      case Action::object:
        return check_object(code_.objects[step.rule], at, marks, trail);
      case Action::array:
        return check_array(code_.arrays[step.rule], at, marks, trail);
      case Action::refer:
        return refer(code_.references[step.rule], at, marks, trail);
      case Action::refer_dynamically:
        return refer_dynamically(code_.dynamic_references[step.rule], at, marks, trail);
      case Action::any_of:
        return any_of(code_.branches[step.rule], at, marks, trail);
      case Action::one_of:
        return one_of(code_.branches[step.rule], at, marks, trail);
      case Action::not_:
        return negate(code_.negations[step.rule], at, trail);
      case Action::conditional:
        return conditional(code_.conditionals[step.rule], at, marks, trail);
      case Action::depend:
        return depend(code_.dependencies[step.rule], at, marks, trail);
      case Action::unevaluated_items:
        return unevaluated_items(code_.unevaluated[step.rule], at, *marks, trail);
      case Action::unevaluated_properties:
        return unevaluated_properties(code_.unevaluated[step.rule], at, *marks, trail);
    }
    return true;
  }

  bool spend(std::int64_t steps) {
    if ((steps_left_ -= steps) >= 0) [[likely]]
      return true;
    exhausted_ = true;
    return false;
  }

  Value value(std::uint32_t at) const { return Value(words_, strings_, at); }
  std::uint32_t next(std::uint32_t at) const { return Value::next_of(words_, at); }
  std::uint32_t end_of(std::uint32_t at) const { return static_cast<std::uint32_t>(words_[at]) - 1; }
  std::uint32_t size_of(std::uint32_t at) const {
    const auto count = static_cast<std::uint32_t>(words_[at] >> 32) & 0xFFFFFF;
    return count < 0xFFFFFF ? count : value(at).size();
  }
  std::string_view text(std::uint32_t at) const { return Value::text_of(words_[at], strings_); }

  // --- assertions

  bool check_values(const ValuesRule& rule, std::uint32_t at, T trail) {
    if (Value::tag_of(words_[at]) == '"') {
      if (rule.strings.find(text(at)) != KeyTable::missing) return true;
    } else if (is_among(rule.others, at)) {
      return true;
    }
    if constexpr (Explains) {
      std::string wanted;
      for (const std::string& string : rule.strings.keys()) {
        wanted += wanted.empty() ? "" : ", ";
        json::append_string(wanted, string);
      }
      for (const auto& other : rule.others)
        wanted.append(wanted.empty() ? "" : ", ").append(json::to_text(other.value));
      report(trail, rule.is_const ? "const" : "enum",
             "expected " + std::string(rule.is_const ? "" : "one of ") + shortened(wanted, 256), at);
    }
    return false;
  }

  bool is_among(const std::vector<ValuesRule::Other>& others, std::uint32_t at) {
    constexpr std::size_t few = 4;
    if (others.empty() || !spend((next(at) - at) / 8)) return false;
    if (others.size() <= few)
      return std::any_of(others.begin(), others.end(),
                         [&](const auto& other) { return equal(other.value, value(at)); });
    const std::uint64_t hash = json::hash(value(at));
    auto other = std::lower_bound(others.begin(), others.end(), hash,
                                  [](const ValuesRule::Other& o, std::uint64_t h) { return o.hash < h; });
    for (; other != others.end() && other->hash == hash && spend((next(at) - at) / 8); ++other)
      if (equal(other->value, value(at))) return true;
    return false;
  }

  bool check_number(const NumberRule& rule, std::uint32_t at, T trail) {
    if (Value::tag_of(words_[at]) == 'l' && !rule.has_multiple) [[likely]] {
      const auto number = static_cast<std::int64_t>(words_[at + 1]);
      if (number >= rule.lowest && number <= rule.highest) return true;
      if (!Explains) return false;
    }
    const Number number = value(at).as_number();
    if (number.kind == Number::Kind::real && rule.has_real_range && !rule.has_multiple) {
      if (number.d >= rule.lowest_real && number.d <= rule.highest_real) return true;
      if (!Explains) return false;
    }
    using Bound = NumberRule::Bound;
    bool good = true;
    const auto check = [&](Bound bound, bool holds, std::string_view keyword, std::string_view words) {
      if (!rule.has[bound] || holds) return;
      good = false;
      if constexpr (Explains)
        report(trail, keyword, "expected " + std::string(words) + number_text(rule.bound[bound]), at);
    };
    check(Bound::minimum, compare(number, rule.bound[Bound::minimum]) >= 0, "minimum", "at least ");
    check(Bound::exclusive_minimum, compare(number, rule.bound[Bound::exclusive_minimum]) > 0, "exclusiveMinimum",
          "more than ");
    check(Bound::maximum, compare(number, rule.bound[Bound::maximum]) <= 0, "maximum", "at most ");
    check(Bound::exclusive_maximum, compare(number, rule.bound[Bound::exclusive_maximum]) < 0, "exclusiveMaximum",
          "less than ");
    if (rule.has_multiple && !is_multiple(number, rule.multiple)) {
      good = false;
      if constexpr (Explains) report(trail, "multipleOf", "expected a multiple of " + number_text(rule.multiple), at);
    }
    return good;
  }

  bool check_string(const StringRule& rule, std::uint32_t at, T trail) {
    const std::string_view string = text(at);
    bool good = true;
    if (rule.least > 0 || rule.most != none) {
      // A code point has one to four bytes: most lengths are decided without counting.
      const bool surely_enough = (string.size() + 3) / 4 >= rule.least, surely_not_over = string.size() <= rule.most;
      if (!surely_enough || !surely_not_over) {
        if (!spend(static_cast<std::int64_t>(string.size() / 64))) return false;
        good = check_length(rule, json::code_points(string), trail);
        if (!Explains && !good) return false;
      }
    }
    if (rule.pattern != none) {
      if (!spend(static_cast<std::int64_t>(1 + string.size() / 16))) return false;
      if (!code_.regexes[rule.pattern].matches(string)) {
        if constexpr (Explains)
          report(trail, "pattern",
                 rule.such_as.empty() ? "expected text that matches " + code_.regexes[rule.pattern].source()
                                      : "expected text such as " + rule.such_as,
                 at);
        return false;
      }
    }
    if (rule.format && !rule.format(string)) {
      if constexpr (Explains) report(trail, "format", "expected text of the format " + rule.format_name, at);
      return false;
    }
    return good;
  }

  bool check_length(const StringRule& rule, std::size_t length, T trail) {
    if (length >= rule.least && length <= rule.most) return true;
    if constexpr (Explains) {
      const bool few = length < rule.least;
      report(trail, few ? "minLength" : "maxLength",
             (few ? "expected at least " : "expected at most ") + std::to_string(few ? rule.least : rule.most) +
                 " characters, found " + std::to_string(length));
    }
    return false;
  }

  // --- objects

  bool check_object(const ObjectRule& rule, std::uint32_t at, Marks* marks, T trail) {
    if (!Explains && rule.is_simple && !marks) return accept_object(rule, at);
    if (!spend(size_of(at))) return false;
    std::uint64_t present = 0;
    std::uint32_t ordinal = 0;
    bool good = check_member_count(rule, at, trail);
    if (!Explains && !good) return false;
    const std::uint32_t end = end_of(at);
    for (std::uint32_t key = at + 1; key < end; key = next(key + 1), ++ordinal) {
      const std::uint32_t found = rule.names.find(text(key));
      bool evaluated = false;
      if (found != KeyTable::missing) {
        const ObjectRule::Property& property = rule.properties[found];
        present |= property.presence;
        if (property.node != none) {
          evaluated = true;
          good = property_node(property.node, "properties", text(key), key, trail) && good;
        }
      }
      if (rule.property_names != none) good = property_name(rule, key, trail) && good;
      for (const ObjectRule::Pattern& pattern : rule.patterns) {
        const Regex& regex = code_.regexes[pattern.regex];
        if (!spend(static_cast<std::int64_t>(1 + text(key).size() / 16)) || !regex.matches(text(key))) continue;
        evaluated = true;
        L keyword(trail.schema(), std::string_view("patternProperties"));
        good = member_node(pattern.node, key, trail, L(&keyword, std::string_view(regex.source()))) && good;
      }
      if (!evaluated && rule.additional != none) {
        evaluated = true;
        good = member_node(rule.additional, key, trail, L(trail.schema(), std::string_view("additionalProperties"))) &&
               good;
      }
      if (!Explains && !good) return false;
      if (exhausted_) return false;
      if (evaluated && marks) marks->set(ordinal);
    }
    return check_presence(rule, present, at, trail) && good;
  }

  // The same for the usual schema on the hot path.
  bool accept_object(const ObjectRule& rule, std::uint32_t at) {
    if (!check_member_count(rule, at, T{}) || !spend(size_of(at))) return false;
    std::uint64_t present = 0;
    std::uint32_t guess = 0;
    const std::uint32_t end = end_of(at);
    for (std::uint32_t key = at + 1; key < end; key = next(key + 1)) {
      const std::uint32_t found = rule.names.find(text(key), guess);
      NodeId id = rule.additional;
      if (found != KeyTable::missing) [[likely]] {
        guess = found + 1;
        present |= rule.properties[found].presence;
        if (rule.properties[found].node != none) id = rule.properties[found].node;
      }
      if (id != none && !enter(id, key + 1, nullptr, T{})) return false;
    }
    return check_presence(rule, present, at, T{});
  }

  bool property_node(NodeId id, std::string_view keyword, std::string_view name, std::uint32_t key, T trail) {
    const L link(trail.schema(), keyword);
    return member_node(id, key, trail, L(&link, name));
  }

  bool member_node(NodeId id, std::uint32_t key, T trail, const L& schema) {
    const L instance(trail.instance(), text(key));
    return node(id, key + 1, nullptr, trail.by(schema).in(instance));
  }

  // A name has no place of its own: its defects are the object's.
  bool property_name(const ObjectRule& rule, std::uint32_t key, T trail) {
    const L link(trail.schema(), std::string_view("propertyNames"));
    return node(rule.property_names, key, nullptr, trail.by(link));
  }

  bool check_member_count(const ObjectRule& rule, std::uint32_t at, T trail) {
    if (rule.least == 0 && rule.most == none) return true;
    return check_count(size_of(at), {rule.least, rule.most, "minProperties", "maxProperties", " members"}, trail);
  }

  struct Count {
    std::uint32_t least, most;
    std::string_view least_keyword, most_keyword, unit;
  };
  bool check_count(std::uint32_t count, const Count& rule, T trail) {
    if (count >= rule.least && count <= rule.most) return true;
    if constexpr (Explains) {
      const bool few = count < rule.least;
      report(trail, few ? rule.least_keyword : rule.most_keyword,
             (few ? "expected at least " : "expected at most ") + std::to_string(few ? rule.least : rule.most) +
                 std::string(rule.unit) + ", found " + std::to_string(count));
    }
    return false;
  }

  bool has_name(const ObjectRule& rule, std::uint32_t name, std::uint64_t present, std::uint32_t at) {
    if (rule.uses_bits) return (present & rule.properties[name].presence) != 0;
    return spend(1 + size_of(at) / 4) && value(at).find(rule.names.keys()[name]);
  }

  bool check_presence(const ObjectRule& rule, std::uint64_t present, std::uint32_t at, T trail) {
    if (!Explains && rule.uses_bits) {
      if ((present & rule.required) != rule.required) return false;
      for (const auto& dependency : rule.dependencies)
        if ((present & dependency.trigger) && (present & dependency.required) != dependency.required) return false;
      return true;
    }
    bool good = true;
    const auto demand = [&](std::uint32_t name, std::string_view keyword, std::uint32_t because) {
      if (has_name(rule, name, present, at)) return;
      good = false;
      if constexpr (Explains) {
        std::string message = "expected the member \"" + rule.names.keys()[name] + "\"";
        if (because != none) message += ", which \"" + rule.names.keys()[because] + "\" requires";
        report(trail, keyword, message);
      }
    };
    for (const std::uint32_t name : rule.required_names) demand(name, "required", none);
    for (const auto& dependency : rule.dependencies) {
      if (!has_name(rule, dependency.name, present, at)) continue;
      for (const std::uint32_t name : dependency.needed) demand(name, "dependentRequired", dependency.name);
    }
    return good;
  }

  // --- arrays

  bool check_array(const ArrayRule& rule, std::uint32_t at, Marks* marks, T trail) {
    if (!spend(size_of(at))) return false;
    bool good = (rule.least == 0 && rule.most == none) ||
                check_count(size_of(at), {rule.least, rule.most, "minItems", "maxItems", " elements"}, trail);
    if (!Explains && !good) return false;
    std::uint32_t ordinal = 0, contained = 0;
    const std::uint32_t end = end_of(at);
    const bool each = !rule.prefix.empty() || rule.items != none || rule.contains != none;
    for (std::uint32_t element = at + 1; each && element < end; element = next(element), ++ordinal) {
      const L instance(trail.instance(), ordinal);
      if (ordinal < rule.prefix.size()) {
        const L keyword(trail.schema(), std::string_view("prefixItems"));
        const L index(&keyword, ordinal);
        good = node(rule.prefix[ordinal], element, nullptr, trail.in(instance).by(index)) && good;
        if (marks) marks->set(ordinal);
      } else if (rule.items != none) {
        const L keyword(trail.schema(), std::string_view("items"));
        good = node(rule.items, element, nullptr, trail.in(instance).by(keyword)) && good;
        if (marks) marks->set(ordinal);
      } else if (rule.contains == none) {
        break;
      }
      if (!Explains && !good) return false;
      if (rule.contains != none && holds(rule.contains, element, nullptr)) {
        ++contained;
        if (marks) marks->set(ordinal);
      }
      if (exhausted_) return false;
    }
    if (rule.contains != none) good = check_contained(rule, contained, trail) && good;
    if (rule.unique) good = check_unique(at, trail) && good;
    return good;
  }

  bool check_contained(const ArrayRule& rule, std::uint32_t count, T trail) {
    const std::string_view least_keyword = rule.has_min_contains ? "minContains" : "contains";
    return check_count(
        count, {rule.contains_least, rule.contains_most, least_keyword, "maxContains", " fitting elements"}, trail);
  }

  bool check_unique(std::uint32_t at, T trail) {
    const std::uint32_t count = size_of(at);
    if (count < 2) return true;
    std::uint32_t first = 0, second = 0;
    if (!(count <= few_elements ? find_twins_among_few(at, first, second) : find_twins_among_many(at, first, second)))
      return !exhausted_;
    if constexpr (Explains)
      report(trail, "uniqueItems",
             "expected no two equal elements; elements " + std::to_string(first) + " and " + std::to_string(second) +
                 " are");
    return false;
  }

  static constexpr std::uint32_t few_elements = 12;

  bool find_twins_among_few(std::uint32_t at, std::uint32_t& first, std::uint32_t& second) {
    std::array<std::uint32_t, few_elements> places;
    std::uint32_t count = 0;
    const std::uint32_t end = end_of(at);
    for (std::uint32_t element = at + 1; element < end; element = next(element)) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (words_[element] >> 56 != words_[places[i]] >> 56 &&
            !(value(element).is_number() && value(places[i]).is_number()))
          continue;
        if (!spend(1 + (next(element) - element) / 8)) return false;
        if (!equal(value(element), value(places[i]))) continue;
        first = i;
        second = count;
        return true;
      }
      places[count++] = element;
    }
    return false;
  }

  bool find_twins_among_many(std::uint32_t at, std::uint32_t& first, std::uint32_t& second) {
    struct Element {
      std::uint64_t hash;
      std::uint32_t at, ordinal;
    };
    std::vector<Element> elements;
    elements.reserve(size_of(at));
    const std::uint32_t end = end_of(at);
    if (!spend((end - at) / 2)) return false;
    for (std::uint32_t element = at + 1; element < end; element = next(element))
      elements.push_back({json::hash(value(element)), element, static_cast<std::uint32_t>(elements.size())});
    std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.ordinal < b.ordinal;
    });
    for (std::size_t i = 0; i < elements.size(); ++i) {
      for (std::size_t j = i + 1; j < elements.size() && elements[j].hash == elements[i].hash; ++j) {
        if (!spend(1 + (next(elements[i].at) - elements[i].at) / 8)) return false;
        if (!equal(value(elements[i].at), value(elements[j].at))) continue;
        first = elements[i].ordinal;
        second = elements[j].ordinal;
        return true;
      }
    }
    return false;
  }

  // --- applicators in place

  // Whether an instance fits, when that itself is no defect: `if`, `not`, `contains`.
  bool holds(NodeId id, std::uint32_t at, Marks* marks) {
    if constexpr (!Explains) {
      return node(id, at, marks, T{});
    } else {
      Report unheard;  // of no problems
      Report* const before = report_;
      report_ = &unheard;
      const bool good = node(id, at, marks, T{});
      report_ = before;
      return good;
    }
  }

  bool refer(const ReferRule& rule, std::uint32_t at, Marks* marks, T trail) {
    const L keyword(trail.schema(), std::string_view(rule.keyword));
    if (rule.index == none) return node(rule.node, at, marks, trail.by(keyword));
    const L index(&keyword, rule.index);
    return node(rule.node, at, marks, trail.by(index));
  }

  bool refer_dynamically(const DynamicRule& rule, std::uint32_t at, Marks* marks, T trail) {
    NodeId target = rule.fallback;
    for (const Scope* scope = scope_; scope; scope = scope->outer)  // the outermost one wins
      if (rule.by_scope[scope->id] != none) target = rule.by_scope[scope->id];
    const L keyword(trail.schema(), std::string_view("$dynamicRef"));
    return node(target, at, marks, trail.by(keyword));
  }

  std::optional<Marks> own_marks(const Marks* outer, std::uint32_t at) const {
    return outer ? std::optional<Marks>(size_of(at)) : std::nullopt;
  }

  // One branch, with marks of its own that count only if it holds.
  bool branch(NodeId id, std::uint32_t at, Marks* marks) {
    std::optional<Marks> own = own_marks(marks, at);
    if (!holds(id, at, own ? &*own : nullptr)) return false;
    if (own) marks->add(*own);
    return true;
  }

  bool any_of(const BranchesRule& rule, std::uint32_t at, Marks* marks, T trail) {
    bool any = false;
    for (const NodeId id : rule.nodes) {
      any = branch(id, at, marks) || any;
      if (exhausted_) return false;
      if (any && !marks) return true;
    }
    if (any) return true;
    if constexpr (Explains) explain_branches(rule, "anyOf", at, marks, trail);
    return false;
  }

  bool one_of(const BranchesRule& rule, std::uint32_t at, Marks* marks, T trail) {
    std::uint32_t first = none;
    for (std::uint32_t i = 0; i < rule.nodes.size(); ++i) {
      const bool good = branch(rule.nodes[i], at, marks);
      if (exhausted_) return false;
      if (!good) continue;
      if (first != none) {
        if constexpr (Explains) {
          if (marks) marks->set_all();
          report(trail, "oneOf",
                 "expected exactly one of the alternatives to fit; " + std::to_string(first) + " and " +
                     std::to_string(i) + " do");
        }
        return false;
      }
      first = i;
    }
    if (first != none) return true;
    if constexpr (Explains) explain_branches(rule, "oneOf", at, marks, trail);
    return false;
  }

  bool negate(const NegationRule& rule, std::uint32_t at, T trail) {
    if (!holds(rule.node, at, nullptr)) return !exhausted_;
    if constexpr (Explains) {
      if (rule.why.empty())
        report(trail, "not", "expected what does not fit the schema under `not`", at);
      else
        report(trail, "not", "found " + found_text(value(at), report_->hide_values) + ": " + rule.why);
    }
    return false;
  }

  bool conditional(const ConditionalRule& rule, std::uint32_t at, Marks* marks, T trail) {
    const bool met = branch(rule.condition, at, marks);
    const NodeId id = met ? rule.then : rule.otherwise;
    if (exhausted_ || id == none) return !exhausted_;
    const L keyword(trail.schema(), std::string_view(met ? "then" : "else"));
    return node(id, at, marks, trail.by(keyword));
  }

  bool depend(const DependRule& rule, std::uint32_t at, Marks* marks, T trail) {
    if (!spend(size_of(at) / 4) || !value(at).find(rule.name)) return !exhausted_;
    const L keyword(trail.schema(), std::string_view("dependentSchemas"));
    const L name(&keyword, std::string_view(rule.name));
    return node(rule.node, at, marks, trail.by(name));
  }

  // --- unevaluated

  bool unevaluated_items(const UnevaluatedRule& rule, std::uint32_t at, Marks& marks, T trail) {
    bool good = true;
    std::uint32_t ordinal = 0;
    const std::uint32_t end = end_of(at);
    for (std::uint32_t element = at + 1; element < end; element = next(element), ++ordinal) {
      if (marks.has(ordinal)) continue;
      const L keyword(trail.schema(), std::string_view("unevaluatedItems"));
      const L instance(trail.instance(), ordinal);
      good = node(rule.node, element, nullptr, trail.in(instance).by(keyword)) && good;
      if ((!Explains && !good) || exhausted_) return false;
    }
    marks.set_all();
    return good;
  }

  bool unevaluated_properties(const UnevaluatedRule& rule, std::uint32_t at, Marks& marks, T trail) {
    bool good = true;
    std::uint32_t ordinal = 0;
    const std::uint32_t end = end_of(at);
    for (std::uint32_t key = at + 1; key < end; key = next(key + 1), ++ordinal) {
      if (marks.has(ordinal)) continue;
      good = member_node(rule.node, key, trail, L(trail.schema(), std::string_view("unevaluatedProperties"))) && good;
      if ((!Explains && !good) || exhausted_) return false;
    }
    marks.set_all();
    return good;
  }

  // --- explaining

  bool wrong_type(const Node& node, std::uint32_t at, T trail) {
    if constexpr (Explains) {
      if (node.never)
        report_here(trail, nothing_here(trail));
      else
        report(trail, "type", "expected " + types_text(node.types), at);
    }
    return false;
  }

  // A member that the schema does not know is the usual case.
  static std::string nothing_here(T trail) {
    if constexpr (Explains) {
      const L* const where = trail.instance();
      const L* const rule = trail.schema();
      const bool unknown = where && rule && where->index == UINT32_MAX &&
                           (rule->token == "additionalProperties" || rule->token == "unevaluatedProperties");
      if (unknown) return "there is no member " + base::quoted(where->token) + " here";
    }
    return "nothing is allowed here";
  }

  void explain_branches(const BranchesRule& rule, std::string_view keyword, std::uint32_t at, Marks* marks, T trail) {
    if (marks) marks->set_all();  // or every member of every branch would be reported as unevaluated
    if (report_->problems_max == 0) return;
    const L link(trail.schema(), keyword);
    Report* const outer = report_;
    Report best;
    std::size_t least = SIZE_MAX;
    bool tie = false;
    std::string summary;
    for (std::uint32_t i = 0; i < rule.nodes.size() && !exhausted_; ++i) {
      Report report{.problems_max = 16, .hide_values = outer->hide_values};
      report_ = &report;
      std::optional<Marks> own = own_marks(marks, at);
      const L index(&link, i);
      node(rule.nodes[i], at, own ? &*own : nullptr, trail.by(index));
      if (!report.problems.empty()) summary.append(i ? "; " : "").append(report.problems[0].message);
      const std::size_t far = report.distance(depth_of(trail.instance()));
      tie = far == least || (tie && far > least);
      if (far >= least) continue;
      least = far;
      best = std::move(report);
    }
    report_ = outer;
    if (tie || best.problems.empty())
      return report(trail, keyword,
                    "none of the " + std::to_string(rule.nodes.size()) +
                        " alternatives fits: " + shortened(std::move(summary), 256));
    report_->take_over(std::move(best));
  }

  void report(T trail, std::string_view keyword, std::string message, std::uint32_t at) {
    report(trail, keyword, std::move(message) + ", found " + found_text(value(at), report_->hide_values));
  }
  void report(T trail, std::string_view keyword, std::string message) {
    report_here(trail.by(L(trail.schema(), keyword)), std::move(message));
  }
  void report_here(T trail, std::string message) { report_->add(trail, std::move(message)); }

  const Code& code_;
  const Node* const nodes_;
  const std::uint64_t* const words_;
  const std::uint8_t* const strings_;
  std::int64_t steps_left_;
  std::uint32_t depth_ = 0;
  bool exhausted_ = false;
  const Scope* scope_ = nullptr;
  Report* report_;
};

}  // namespace

Verdict Program::check(const Value& document) const {
  return Run<false>(*code_, document, nullptr).check(document.at());
}

std::vector<Problem> Program::explain(const Value& document, const ExplainOptions& options, std::size_t* found) const {
  if (found) *found = 0;
  if (accepts(document)) return {};
  Report report{.problems_max = std::max<std::size_t>(1, options.problems_max), .hide_values = options.hide_values};
  const Verdict verdict = Run<true>(*code_, document, &report).check(document.at());
  if (verdict == Verdict::too_complex && report.problems.empty())
    report.problems.push_back({"", "", "the document takes too many steps to validate against this schema"});
  if (found) *found = std::max(report.found, report.problems.size());
  return std::move(report.problems);
}

}  // namespace parley::schema
