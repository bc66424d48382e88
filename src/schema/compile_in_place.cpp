// References, keywords that apply other schemas to the same instance, and what those leave unevaluated.
#include "schema/compile_node.hpp"
#include "schema/uri.hpp"

namespace parley::schema {

using json::Value;

base::Result<Place> NodeCompiler::resolve(Value reference, std::string_view keyword) const {
  if (!reference.is_string()) return refuse(keyword, "`" + std::string(keyword) + "` is no string.");
  const auto target = all_.resolver.resolve(place_, reference.as_string());
  if (!target)
    return base::fail(base::ErrorCode::SCHEMA_INVALID,
                      "`" + std::string(keyword) + "` \"" + std::string(reference.as_string()) +
                          "\" leads to no schema that is known here.",
                      pointer_to(place_, keyword), "Give the schema it names along; nothing is fetched.");
  return *target;
}

base::Result<> NodeCompiler::compile_references() {
  if (const Value reference = schema_.find("$ref")) {
    PARLEY_TRY(const Place target, resolve(reference, "$ref"));
    PARLEY_TRY(const NodeId id, all_.nodes.reach_in_place(id_, target));
    add(Action::refer, code_.references, ReferRule{id, "$ref"}, every_family);
  }
  if (const Value reference = schema_.find("$dynamicRef")) {
    PARLEY_TRY(const Place target, resolve(reference, "$dynamicRef"));
    const std::string anchor = split_fragment(reference.as_string()).fragment;
    const auto& anchors = target.source->resources[target.resource].dynamic_anchors;
    if (const auto found = anchors.find(anchor); found == anchors.end() || found->second != target.at) {
      // It leads to no dynamic anchor, and is as good as `$ref`.
      PARLEY_TRY(const NodeId id, all_.nodes.reach_in_place(id_, target));
      add(Action::refer, code_.references, ReferRule{id, "$dynamicRef"}, every_family);
    } else {
      PARLEY_TRY(const NodeId id, all_.nodes.reach(target));
      all_.scopes.use(anchor);
      add(Action::refer_dynamically, code_.dynamic_references, DynamicRule{id, anchor, {}}, every_family);
    }
  }
  return {};
}

base::Result<BranchesRule> NodeCompiler::branches(Value list, std::string_view keyword) {
  if (!list.is_array() || list.size() == 0)
    return refuse(keyword, "`" + std::string(keyword) + "` is no array of schemas.");
  BranchesRule rule;
  for (const Value branch : list.elements()) {
    PARLEY_TRY(const NodeId id, in_place_child(branch, keyword));
    rule.nodes.push_back(id);
  }
  return rule;
}

base::Result<> NodeCompiler::compile_applicators() {
  if (const Value list = schema_.find("allOf")) {
    PARLEY_TRY(const BranchesRule rule, branches(list, "allOf"));
    for (std::uint32_t i = 0; i < rule.nodes.size(); ++i)
      add(Action::refer, code_.references, ReferRule{rule.nodes[i], "allOf", i}, every_family);
  }
  if (const Value list = schema_.find("anyOf")) {
    PARLEY_TRY(BranchesRule rule, branches(list, "anyOf"));
    add(Action::any_of, code_.branches, std::move(rule), every_family);
  }
  if (const Value list = schema_.find("oneOf")) {
    PARLEY_TRY(BranchesRule rule, branches(list, "oneOf"));
    add(Action::one_of, code_.branches, std::move(rule), every_family);
  }
  if (const Value negated = schema_.find("not")) {
    PARLEY_TRY(const NodeId id, in_place_child(negated, "not"));
    const auto why = schema_.find("description").if_string();
    add(Action::not_, code_.negations, NegationRule{id, std::string(why.value_or(""))}, every_family);
  }
  if (const Value condition = schema_.find("if")) {
    ConditionalRule rule;
    PARLEY_TRY(rule.condition, in_place_child(condition, "if"));
    PARLEY_CHECK(read_in_place("then", rule.then));
    PARLEY_CHECK(read_in_place("else", rule.otherwise));
    add(Action::conditional, code_.conditionals, rule, every_family);
  }
  if (const Value dependent = schema_.find("dependentSchemas")) {
    if (!dependent.is_object()) return refuse("dependentSchemas", "`dependentSchemas` is no object.");
    for (const auto [name, subschema] : dependent.members()) {
      PARLEY_TRY(const NodeId id, in_place_child(subschema, "dependentSchemas"));
      add(Action::depend, code_.dependencies, DependRule{std::string(name), id}, {object_family});
    }
  }
  return {};
}

base::Result<> NodeCompiler::compile_unevaluated() {
  const auto read = [&](std::string_view keyword, Action action, Family family) -> base::Result<> {
    const Value schema = schema_.find(keyword);
    if (!schema) return {};
    PARLEY_TRY(const NodeId id, child(schema, keyword));
    add(action, code_.unevaluated, UnevaluatedRule{id}, {family});
    code_.nodes[id_].tracks |= static_cast<std::uint8_t>(1 << family);
    return {};
  };
  PARLEY_CHECK(read("unevaluatedItems", Action::unevaluated_items, array_family));
  return read("unevaluatedProperties", Action::unevaluated_properties, object_family);
}

}  // namespace parley::schema
