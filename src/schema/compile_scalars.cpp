// Keywords about a value by itself: type, const and enum, those of numbers and of strings.
#include <algorithm>
#include <map>
#include <set>

#include "schema/compile_node.hpp"
#include "schema/number_range.hpp"

namespace parley::schema {

using json::Value;

base::Result<> NodeCompiler::compile_type() {
  const Value type = schema_.find("type");
  if (!type) return {};
  std::uint8_t bits = 0;
  const auto add_type = [&](Value name) {
    static const std::map<std::string_view, int> known = {
        {"null", null_bit},     {"boolean", boolean_bit}, {"integer", integer_bit}, {"number", integer_bit | real_bit},
        {"string", string_bit}, {"array", array_bit},     {"object", object_bit}};
    const auto found = known.find(name.if_string().value_or(""));
    if (found == known.end()) return false;
    bits |= static_cast<std::uint8_t>(found->second);
    return true;
  };
  bool good = type.is_array() ? type.size() > 0 : add_type(type);
  for (const Value name : type.elements()) good = good && add_type(name);
  if (!good) return refuse("type", "`type` names no type of JSON Schema.");
  code_.nodes[id_].types = bits;
  return {};
}

base::Result<> NodeCompiler::compile_values() {
  if (const Value value = schema_.find("const")) PARLEY_CHECK(add_values(std::vector{value}, true));
  const Value list = schema_.find("enum");
  if (!list) return {};
  if (!list.is_array()) return refuse("enum", "`enum` is no array.");
  std::vector<Value> values;
  for (const Value value : list.elements()) values.push_back(value);
  return add_values(values, false);
}

base::Result<> NodeCompiler::add_values(const std::vector<Value>& values, bool is_const) {
  PARLEY_CHECK(spend(values.size()));
  ValuesRule rule;
  rule.is_const = is_const;
  std::vector<std::string> strings;
  std::set<std::string_view> seen;
  for (const Value value : values) {
    if (!value.is_string())
      rule.others.push_back({json::hash(value), value});
    else if (seen.insert(value.as_string()).second)
      strings.emplace_back(value.as_string());
  }
  std::sort(rule.others.begin(), rule.others.end(), [](const auto& a, const auto& b) { return a.hash < b.hash; });
  PARLEY_TRY(rule.strings, key_table(std::move(strings), is_const ? "const" : "enum"));
  add(Action::values, code_.values, std::move(rule), every_family);
  return {};
}

base::Result<> NodeCompiler::compile_number() {
  NumberRule rule;
  bool any = false;
  constexpr std::array keywords = {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"};  // by Bound
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    const Value bound = schema_.find(keywords[i]);
    if (!bound) continue;
    if (!bound.is_number()) return refuse(keywords[i], "`" + std::string(keywords[i]) + "` is no number.");
    rule.has[i] = any = true;
    rule.bound[i] = bound.as_number();
  }
  if (const Value multiple = schema_.find("multipleOf")) {
    if (!multiple.is_number() || compare(multiple.as_number(), json::Number::of(std::int64_t{0})) <= 0)
      return refuse("multipleOf", "`multipleOf` is no number above 0.");
    rule.has_multiple = any = true;
    rule.multiple = multiple.as_number();
  }
  if (!any) return {};
  narrow(rule);
  add(Action::number, code_.numbers, rule, {number_family});
  return {};
}

base::Result<> NodeCompiler::compile_string() {
  StringRule rule;
  if (vocabularies_.validation) {
    PARLEY_CHECK(read_count("minLength", rule.least));
    PARLEY_CHECK(read_count("maxLength", rule.most));
    if (const Value pattern = schema_.find("pattern")) {
      if (!pattern.is_string()) return refuse("pattern", "`pattern` is no string.");
      PARLEY_TRY(rule.pattern, regex(pattern.as_string(), "pattern"));
      for (const Value example : schema_.find("examples").elements())
        if (example.is_string()) rule.such_as.append(rule.such_as.empty() ? "" : ", ").append(example.as_string());
    }
  }
  if (all_.options.assert_formats || vocabularies_.format_assertion) {
    const Value format = schema_.find("format");
    if (format && !format.is_string()) return refuse("format", "`format` is no string.");
    rule.format = format ? format_check(format.as_string()) : nullptr;
    if (rule.format) rule.format_name = format.as_string();
  }
  const bool says_something = rule.least > 0 || rule.most != none || rule.pattern != none || rule.format;
  if (says_something) add(Action::string, code_.strings, std::move(rule), {string_family});
  return {};
}

}  // namespace parley::schema
