// From schema documents to code: subschemas are compiled as they are reached, each once, without recursion. Then
// dynamic references are bound, and references that lead back to themselves without consuming anything are refused.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "schema/code.hpp"
#include "schema/dialects.hpp"
#include "schema/endless.hpp"
#include "schema/number_range.hpp"
#include "schema/program.hpp"
#include "schema/uri.hpp"

namespace parley::schema {

using base::ErrorCode;
using json::Value;

namespace {

constexpr std::uint32_t members_max = 200'000;  // of all enums, required lists and the like

}  // namespace

class Compiler {
 public:
  Compiler(std::shared_ptr<const Source> root, const Registry& registry, const CompileOptions& options)
      : root_(std::move(root)), resolver_(root_, registry), options_(options), code_(std::make_shared<Code>()) {
    code_->steps_max = options.steps_max;
  }

  base::Result<Program> run() {
    PARLEY_TRY(code_->root, reach({root_.get(), 1, 0}));
    do {
      while (!waiting_.empty()) {
        const NodeId next = waiting_.front();
        waiting_.pop_front();
        PARLEY_CHECK(compile_node(next));
      }
      PARLEY_CHECK(reach_dynamic_anchors());
    } while (!waiting_.empty());
    bind_dynamic_references();
    PARLEY_CHECK(refuse_endless(in_place_, [this](NodeId id) { return pointer(places_[id]); }));
    make_short_cuts();
    std::set<const Source*> used;
    for (const Place& place : places_) used.insert(place.source);
    code_->sources = resolver_.sources(used);
    Program program;
    program.code_ = std::move(code_);
    return program;
  }

 private:
  // --- reaching nodes

  base::Result<NodeId> reach(const Place& place) {
    const auto [known, added] = ids_.emplace(std::pair(place.source, place.at), static_cast<NodeId>(places_.size()));
    if (!added) return known->second;
    if (places_.size() >= options_.schemas_max) {
      return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX,
                        "The schema has more than " + std::to_string(options_.schemas_max) + " subschemas in use.",
                        pointer(place));
    }
    places_.push_back(place);
    code_->nodes.emplace_back();
    in_place_.emplace_back();
    waiting_.push_back(known->second);
    return known->second;
  }

  std::string pointer(const Place& place, std::string_view keyword = {}) const {
    std::string text = json::pointer_to(place.source->document.root(), place.source->at(place.at));
    if (!keyword.empty()) json::append_token(text, keyword);
    return text;
  }

  std::unexpected<base::Error> refuse(std::string_view keyword, std::string message) const {
    return base::fail(ErrorCode::SCHEMA_INVALID, std::move(message), pointer(*place_, keyword));
  }

  base::Result<NodeId> child(Value schema, std::string_view keyword) {
    if (!schema.is_object() && !schema.is_bool())
      return refuse(keyword, "`" + std::string(keyword) + "` holds what is no schema.");
    const auto owner = place_->source->owner_of.find(schema.at());
    return reach(
        {place_->source, schema.at(), owner == place_->source->owner_of.end() ? place_->resource : owner->second});
  }

  base::Result<NodeId> in_place_child(Value schema, std::string_view keyword) {
    PARLEY_TRY(const NodeId id, child(schema, keyword));
    in_place_[current_].push_back(id);
    return id;
  }

  // --- one node

  base::Result<> compile_node(NodeId id) {
    const Place place = places_[id];
    place_ = &place;
    current_ = id;
    const Value schema = place.source->at(place.at);
    code_->nodes[id].scope = scope_of(place);
    if (schema.is_bool()) {
      code_->nodes[id].never = !schema.as_bool();
      if (!schema.as_bool()) code_->nodes[id].types = 0;
      return {};
    }
    if (!schema.is_object())
      return base::fail(ErrorCode::SCHEMA_INVALID, "A schema is an object, true or false.", pointer(place));
    PARLEY_TRY(vocabularies_, dialects_.of(place));
    lists_ = {};
    if (vocabularies_.validation) PARLEY_CHECK(compile_type(schema));
    if (vocabularies_.validation) PARLEY_CHECK(compile_values(schema));
    if (vocabularies_.validation) PARLEY_CHECK(compile_number(schema));
    PARLEY_CHECK(compile_string(schema));
    PARLEY_CHECK(compile_object(schema));
    PARLEY_CHECK(compile_array(schema));
    PARLEY_CHECK(compile_references(schema));
    if (vocabularies_.applicator) PARLEY_CHECK(compile_applicators(schema));
    if (vocabularies_.unevaluated) PARLEY_CHECK(compile_unevaluated(schema));
    store_lists(id);
    return {};
  }

  void store_lists(NodeId id) {
    for (std::size_t family = 0; family < family_count; ++family) {
      code_->nodes[id].first[family] = static_cast<std::uint32_t>(code_->steps.size());
      code_->nodes[id].count[family] = static_cast<std::uint32_t>(lists_[family].size());
      code_->steps.insert(code_->steps.end(), lists_[family].begin(), lists_[family].end());
      const bool alone = lists_[family].size() == 1 && !(code_->nodes[id].tracks >> family & 1);
      code_->nodes[id].only[family] = alone                    ? lists_[family][0]
                                      : lists_[family].empty() ? Step{}
                                                               : Step{Action::list, 0};
    }
  }

  // Dynamic references need every node on the way to know their scope; nothing else does.
  void make_short_cuts() {
    code_->short_cuts = code_->nodes;
    if (code_->is_dynamic) return;
    for (Node& node : code_->short_cuts) {
      const Node* target = &node;
      while (target->types == all_bits && target->only[plain_family].action == Action::refer &&
             target->count[object_family] == 1 && target->count[array_family] == 1 &&
             target->count[string_family] == 1 && target->count[number_family] == 1)
        target = &code_->nodes[code_->references[target->only[plain_family].rule].node];
      if (target != &node) node = Node(*target);
    }
  }

  template <class Rule>
  void add(Action action, std::vector<Rule>& table, Rule rule, std::initializer_list<Family> families) {
    const Step step{action, static_cast<std::uint32_t>(table.size())};
    table.push_back(std::move(rule));
    for (const Family family : families) lists_[family].push_back(step);
  }
  static constexpr std::initializer_list<Family> every_family = {plain_family, number_family, string_family,
                                                                 array_family, object_family};

  // --- assertions

  base::Result<> compile_type(Value schema) {
    const Value type = schema.find("type");
    if (!type) return {};
    std::uint8_t bits = 0;
    const auto add_type = [&](Value name) {
      static const std::map<std::string_view, int> known = {
          {"null", null_bit},       {"boolean", boolean_bit},
          {"integer", integer_bit}, {"number", integer_bit | real_bit},
          {"string", string_bit},   {"array", array_bit},
          {"object", object_bit}};
      const auto found = known.find(name.if_string().value_or(""));
      if (found == known.end()) return false;
      bits |= static_cast<std::uint8_t>(found->second);
      return true;
    };
    bool good = type.is_array() ? type.size() > 0 : add_type(type);
    for (const Value name : type.elements()) good = good && add_type(name);
    if (!good) return refuse("type", "`type` names no type of JSON Schema.");
    code_->nodes[current_].types = bits;
    return {};
  }

  base::Result<> compile_values(Value schema) {
    if (const Value value = schema.find("const")) PARLEY_CHECK(add_values(std::vector{value}, true));
    const Value list = schema.find("enum");
    if (!list) return {};
    if (!list.is_array()) return refuse("enum", "`enum` is no array.");
    std::vector<Value> values;
    for (const Value value : list.elements()) values.push_back(value);
    return add_values(values, false);
  }

  base::Result<> add_values(const std::vector<Value>& values, bool is_const) {
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
    add(Action::values, code_->values, std::move(rule), every_family);
    return {};
  }

  base::Result<KeyTable> key_table(std::vector<std::string> keys, std::string_view keyword) const {
    KeyTable table(std::move(keys));
    if (!table.is_crowded()) return table;
    return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX, "The strings of this keyword are too much alike.",
                      pointer(*place_, keyword));
  }

  base::Result<> compile_number(Value schema) {
    NumberRule rule;
    bool any = false;
    constexpr std::array keywords = {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"};
    for (std::size_t i = 0; i < keywords.size(); ++i) {
      const Value bound = schema.find(keywords[i]);
      if (!bound) continue;
      if (!bound.is_number()) return refuse(keywords[i], "`" + std::string(keywords[i]) + "` is no number.");
      rule.has[i] = any = true;
      rule.bound[i] = bound.as_number();
    }
    if (const Value multiple = schema.find("multipleOf")) {
      if (!multiple.is_number() || compare(multiple.as_number(), json::Number::of(std::int64_t{0})) <= 0)
        return refuse("multipleOf", "`multipleOf` is no number above 0.");
      rule.has_multiple = any = true;
      rule.multiple = multiple.as_number();
    }
    if (!any) return {};
    narrow(rule);
    add(Action::number, code_->numbers, rule, {number_family});
    return {};
  }

  // A count such as minLength: a non-negative integer; more than any document holds is as good as infinite.
  base::Result<bool> read_count(Value schema, std::string_view keyword, std::uint32_t& count) const {
    const Value value = schema.find(keyword);
    if (!value) return false;
    if (!value.is_number() || !value.as_number().is_integral() || value.as_number().is_negative())
      return refuse(keyword, "`" + std::string(keyword) + "` is no non-negative integer.");
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(value.if_uint().value_or(none), none - 1));
    return true;
  }

  base::Result<> compile_string(Value schema) {
    StringRule rule;
    bool any = false;
    if (vocabularies_.validation) {
      PARLEY_TRY(const bool least, read_count(schema, "minLength", rule.least));
      PARLEY_TRY(const bool most, read_count(schema, "maxLength", rule.most));
      any = least || most;
      if (const Value pattern = schema.find("pattern")) {
        PARLEY_TRY(rule.pattern, regex(pattern, "pattern"));
        for (const Value example : schema.find("examples").elements())
          if (example.is_string()) rule.such_as.append(rule.such_as.empty() ? "" : ", ").append(example.as_string());
        any = true;
      }
    }
    if (options_.assert_formats || vocabularies_.format_assertion) {
      const Value format = schema.find("format");
      if (format && !format.is_string()) return refuse("format", "`format` is no string.");
      rule.format = format ? format_check(format.as_string()) : nullptr;
      if (rule.format) {
        rule.format_name = format.as_string();
        any = true;
      }
    }
    if (any) add(Action::string, code_->strings, std::move(rule), {string_family});
    return {};
  }

  base::Result<std::uint32_t> regex(Value pattern, std::string_view keyword) {
    if (!pattern.is_string()) return refuse(keyword, "`" + std::string(keyword) + "` is no string.");
    return regex(pattern.as_string(), keyword);
  }

  base::Result<std::uint32_t> regex(std::string_view text, std::string_view keyword) {
    const auto known = regex_ids_.find(text);
    if (known != regex_ids_.end()) return known->second;
    auto compiled = Regex::compile(text);
    if (!compiled) {
      base::Error error = std::move(compiled).error();
      error.where = pointer(*place_, keyword);
      return std::unexpected(std::move(error));
    }
    pattern_cost_ += compiled->cost();
    if (pattern_cost_ > options_.pattern_cost_max)
      return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX, "The schema's patterns are too large together.",
                        pointer(*place_, keyword));
    const auto id = static_cast<std::uint32_t>(code_->regexes.size());
    code_->regexes.push_back(std::move(*compiled));
    regex_ids_.emplace(text, id);
    return id;
  }

  // --- objects

  // Collects what is said of named properties before the table of names is built.
  struct Names {
    std::map<std::string, std::uint32_t, std::less<>> index;
    std::vector<std::string> texts;
    std::uint32_t of(std::string_view name) {
      const auto [known, added] = index.emplace(std::string(name), static_cast<std::uint32_t>(texts.size()));
      if (added) texts.emplace_back(name);
      return known->second;
    }
  };

  base::Result<std::vector<std::uint32_t>> read_names(Value list, std::string_view keyword, Names& names) {
    if (!list.is_array()) return refuse(keyword, "`" + std::string(keyword) + "` is no array of names.");
    PARLEY_CHECK(spend(list.size()));
    std::vector<std::uint32_t> ids;
    for (const Value name : list.elements()) {
      if (!name.is_string()) return refuse(keyword, "`" + std::string(keyword) + "` holds what is no name.");
      ids.push_back(names.of(name.as_string()));
    }
    return ids;
  }

  base::Result<> compile_object(Value schema) {
    ObjectRule rule;
    Names names;
    std::map<std::uint32_t, NodeId> nodes;
    bool any = false;
    if (vocabularies_.applicator) {
      if (const Value properties = schema.find("properties")) {
        if (!properties.is_object()) return refuse("properties", "`properties` is no object.");
        for (const auto [name, subschema] : properties.members()) {
          PARLEY_TRY(const NodeId id, child(subschema, "properties"));
          nodes[names.of(name)] = id;
          any = true;
        }
      }
      if (const Value patterns = schema.find("patternProperties")) {
        if (!patterns.is_object()) return refuse("patternProperties", "`patternProperties` is no object.");
        for (const auto [pattern, subschema] : patterns.members()) {
          PARLEY_TRY(const std::uint32_t id, regex(pattern, "patternProperties"));
          PARLEY_TRY(const NodeId node, child(subschema, "patternProperties"));
          rule.patterns.push_back({id, node});
          any = true;
        }
      }
      if (const Value additional = schema.find("additionalProperties")) {
        PARLEY_TRY(rule.additional, child(additional, "additionalProperties"));
        any = true;
      }
      if (const Value property_names = schema.find("propertyNames")) {
        PARLEY_TRY(rule.property_names, child(property_names, "propertyNames"));
        any = true;
      }
    }
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> dependencies;
    if (vocabularies_.validation) {
      PARLEY_TRY(const bool least, read_count(schema, "minProperties", rule.least));
      PARLEY_TRY(const bool most, read_count(schema, "maxProperties", rule.most));
      any = any || least || most;
      if (const Value required = schema.find("required")) {
        PARLEY_TRY(rule.required_names, read_names(required, "required", names));
        any = any || !rule.required_names.empty();
      }
      if (const Value dependent = schema.find("dependentRequired")) {
        if (!dependent.is_object()) return refuse("dependentRequired", "`dependentRequired` is no object.");
        for (const auto [name, list] : dependent.members()) {
          const std::uint32_t trigger = names.of(name);
          PARLEY_TRY(std::vector<std::uint32_t> needed, read_names(list, "dependentRequired", names));
          dependencies.emplace_back(trigger, std::move(needed));
          any = true;
        }
      }
    }
    if (!any) return {};
    PARLEY_CHECK(assign_presence(rule, names, nodes, dependencies));
    PARLEY_TRY(rule.names, key_table(std::move(names.texts), "properties"));
    rule.is_simple = rule.patterns.empty() && rule.property_names == none;
    add(Action::object, code_->objects, std::move(rule), {object_family});
    return {};
  }

  base::Result<> assign_presence(
      ObjectRule& rule, const Names& names, const std::map<std::uint32_t, NodeId>& nodes,
      const std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>& dependencies) {
    PARLEY_CHECK(spend(names.texts.size()));
    rule.properties.resize(names.texts.size());
    for (const auto& [name, node] : nodes) rule.properties[name].node = node;
    std::set<std::uint32_t> matter(rule.required_names.begin(), rule.required_names.end());
    for (const auto& [trigger, needed] : dependencies) {
      matter.insert(trigger);
      matter.insert(needed.begin(), needed.end());
    }
    rule.uses_bits = matter.size() <= 64;
    std::uint64_t next = 1;
    for (const std::uint32_t name : matter) {
      rule.properties[name].presence = rule.uses_bits ? next : 0;
      next <<= 1;
    }
    for (const std::uint32_t name : rule.required_names) rule.required |= rule.properties[name].presence;
    for (const auto& [trigger, needed] : dependencies) {
      ObjectRule::Dependency dependency{rule.properties[trigger].presence, 0, trigger, needed};
      for (const std::uint32_t name : needed) dependency.required |= rule.properties[name].presence;
      rule.dependencies.push_back(std::move(dependency));
    }
    return {};
  }

  // --- arrays

  base::Result<> compile_array(Value schema) {
    ArrayRule rule;
    bool any = false;
    if (vocabularies_.applicator) {
      if (const Value prefix = schema.find("prefixItems")) {
        if (!prefix.is_array()) return refuse("prefixItems", "`prefixItems` is no array.");
        for (const Value element : prefix.elements()) {
          PARLEY_TRY(const NodeId id, child(element, "prefixItems"));
          rule.prefix.push_back(id);
          any = true;
        }
      }
      if (const Value items = schema.find("items")) {
        PARLEY_TRY(rule.items, child(items, "items"));
        any = true;
      }
      if (const Value contains = schema.find("contains")) {
        PARLEY_TRY(rule.contains, child(contains, "contains"));
        any = true;
      }
    }
    if (vocabularies_.validation) {
      PARLEY_TRY(const bool least, read_count(schema, "minItems", rule.least));
      PARLEY_TRY(const bool most, read_count(schema, "maxItems", rule.most));
      PARLEY_TRY(rule.has_min_contains, read_count(schema, "minContains", rule.contains_least));
      PARLEY_TRY(const bool contains_most, read_count(schema, "maxContains", rule.contains_most));
      const Value unique = schema.find("uniqueItems");
      if (unique && !unique.is_bool()) return refuse("uniqueItems", "`uniqueItems` is neither true nor false.");
      rule.unique = unique && unique.as_bool();
      any = any || least || most || rule.unique || (contains_most && rule.contains != none);
    }
    if (any) add(Action::array, code_->arrays, std::move(rule), {array_family});
    return {};
  }

  // --- references and applicators in place

  base::Result<Place> resolve(Value reference, std::string_view keyword) const {
    if (!reference.is_string()) return refuse(keyword, "`" + std::string(keyword) + "` is no string.");
    const auto target = resolver_.resolve(*place_, reference.as_string());
    if (!target)
      return base::fail(ErrorCode::SCHEMA_INVALID,
                        "`" + std::string(keyword) + "` \"" + std::string(reference.as_string()) +
                            "\" leads to no schema that is known here.",
                        pointer(*place_, keyword), "Give the schema it names along; nothing is fetched.");
    return *target;
  }

  base::Result<> compile_references(Value schema) {
    if (const Value reference = schema.find("$ref")) {
      PARLEY_TRY(const Place target, resolve(reference, "$ref"));
      PARLEY_TRY(const NodeId id, reach(target));
      in_place_[current_].push_back(id);
      add(Action::refer, code_->references, ReferRule{id, "$ref"}, every_family);
    }
    if (const Value reference = schema.find("$dynamicRef")) {
      PARLEY_TRY(const Place target, resolve(reference, "$dynamicRef"));
      PARLEY_TRY(const NodeId id, reach(target));
      const std::string anchor = split_fragment(reference.as_string()).fragment;
      const auto& anchors = target.source->resources[target.resource].dynamic_anchors;
      if (const auto found = anchors.find(anchor); found == anchors.end() || found->second != target.at) {
        in_place_[current_].push_back(id);  // it leads to no dynamic anchor, and is as good as `$ref`
        add(Action::refer, code_->references, ReferRule{id, "$dynamicRef"}, every_family);
      } else {
        dynamic_names_.insert(anchor);
        add(Action::refer_dynamically, code_->dynamic_references, DynamicRule{id, anchor, {}}, every_family);
      }
    }
    return {};
  }

  base::Result<BranchesRule> branches(Value list, std::string_view keyword) {
    if (!list.is_array() || list.size() == 0)
      return refuse(keyword, "`" + std::string(keyword) + "` is no array of schemas.");
    BranchesRule rule;
    for (const Value branch : list.elements()) {
      PARLEY_TRY(const NodeId id, in_place_child(branch, keyword));
      rule.nodes.push_back(id);
    }
    return rule;
  }

  base::Result<> compile_applicators(Value schema) {
    if (const Value list = schema.find("allOf")) {
      PARLEY_TRY(const BranchesRule rule, branches(list, "allOf"));
      for (std::uint32_t i = 0; i < rule.nodes.size(); ++i)
        add(Action::refer, code_->references, ReferRule{rule.nodes[i], "allOf", i}, every_family);
    }
    if (const Value list = schema.find("anyOf")) {
      PARLEY_TRY(BranchesRule rule, branches(list, "anyOf"));
      add(Action::any_of, code_->branches, std::move(rule), every_family);
    }
    if (const Value list = schema.find("oneOf")) {
      PARLEY_TRY(BranchesRule rule, branches(list, "oneOf"));
      add(Action::one_of, code_->branches, std::move(rule), every_family);
    }
    if (const Value negated = schema.find("not")) {
      PARLEY_TRY(const NodeId id, in_place_child(negated, "not"));
      const auto why = schema.find("description").if_string();
      add(Action::not_, code_->negations, NegationRule{id, std::string(why.value_or(""))}, every_family);
    }
    if (const Value condition = schema.find("if")) {
      ConditionalRule rule;
      PARLEY_TRY(rule.condition, in_place_child(condition, "if"));
      if (const Value then = schema.find("then")) {
        PARLEY_TRY(rule.then, in_place_child(then, "then"));
      }
      if (const Value otherwise = schema.find("else")) {
        PARLEY_TRY(rule.otherwise, in_place_child(otherwise, "else"));
      }
      add(Action::conditional, code_->conditionals, rule, every_family);
    }
    if (const Value dependent = schema.find("dependentSchemas")) {
      if (!dependent.is_object()) return refuse("dependentSchemas", "`dependentSchemas` is no object.");
      for (const auto [name, subschema] : dependent.members()) {
        PARLEY_TRY(const NodeId id, in_place_child(subschema, "dependentSchemas"));
        add(Action::depend, code_->dependencies, DependRule{std::string(name), id}, {object_family});
      }
    }
    return {};
  }

  base::Result<> compile_unevaluated(Value schema) {
    if (const Value items = schema.find("unevaluatedItems")) {
      PARLEY_TRY(const NodeId id, child(items, "unevaluatedItems"));
      add(Action::unevaluated_items, code_->unevaluated, UnevaluatedRule{id}, {array_family});
      code_->nodes[current_].tracks |= 1 << array_family;
    }
    if (const Value properties = schema.find("unevaluatedProperties")) {
      PARLEY_TRY(const NodeId id, child(properties, "unevaluatedProperties"));
      add(Action::unevaluated_properties, code_->unevaluated, UnevaluatedRule{id}, {object_family});
      code_->nodes[current_].tracks |= 1 << object_family;
    }
    return {};
  }

  // --- dynamic references

  std::uint32_t scope_of(const Place& place) {
    const auto [known, added] =
        scopes_.emplace(std::pair(place.source, place.resource), static_cast<std::uint32_t>(scope_list_.size()));
    if (added) scope_list_.push_back(place);
    return known->second;
  }

  // Every resource in use may be the outermost one on the way to a dynamic reference.
  base::Result<> reach_dynamic_anchors() {
    for (std::size_t i = 0; i < scope_list_.size(); ++i) {
      const Place scope = scope_list_[i];
      for (const auto& [name, at] : scope.source->resources[scope.resource].dynamic_anchors)
        if (dynamic_names_.contains(name)) PARLEY_CHECK(reach({scope.source, at, scope.resource}));
    }
    return {};
  }

  void bind_dynamic_references() {
    for (DynamicRule& rule : code_->dynamic_references) {
      rule.by_scope.assign(scope_list_.size(), none);
      for (std::size_t i = 0; i < scope_list_.size(); ++i) {
        const auto& anchors = scope_list_[i].source->resources[scope_list_[i].resource].dynamic_anchors;
        const auto found = anchors.find(rule.anchor);
        if (found != anchors.end()) rule.by_scope[i] = ids_.at({scope_list_[i].source, found->second});
      }
    }
    code_->is_dynamic = !code_->dynamic_references.empty();
  }

  // --- bounds

  base::Result<> spend(std::size_t members) {
    members_ += members;
    if (members_ <= members_max) return {};
    return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX, "The schema's lists are too long together.", pointer(*place_));
  }

  std::shared_ptr<const Source> root_;
  Resolver resolver_;
  Dialects dialects_{resolver_};
  const CompileOptions& options_;
  std::shared_ptr<Code> code_;

  std::map<std::pair<const Source*, std::uint32_t>, NodeId> ids_;
  std::vector<Place> places_;  // beside code_->nodes
  InPlace in_place_;           // likewise
  std::deque<NodeId> waiting_;
  std::map<std::pair<const Source*, std::uint32_t>, std::uint32_t> scopes_;
  std::vector<Place> scope_list_;
  std::set<std::string, std::less<>> dynamic_names_;
  std::map<std::string, std::uint32_t, std::less<>> regex_ids_;
  std::size_t pattern_cost_ = 0, members_ = 0;

  // of the node being compiled
  const Place* place_ = nullptr;
  NodeId current_ = 0;
  Vocabularies vocabularies_;
  std::array<std::vector<Step>, family_count> lists_;
};

base::Result<Program> compile(std::string_view schema_json, const Registry& registry, const CompileOptions& options) {
  PARLEY_TRY(const std::shared_ptr<const Source> source, index_source(options.base_uri, schema_json));
  return Compiler(source, registry, options).run();
}

base::Result<Program> compile(const Value& schema, const Registry& registry, const CompileOptions& options) {
  return compile(json::to_text(schema), registry, options);
}

}  // namespace parley::schema
