// Keywords about objects. What several of them say of one name is brought together in one table of names.
#include <map>
#include <set>

#include "schema/compile_node.hpp"

namespace parley::schema {

using json::Value;

namespace {

// Gives each name whose presence matters a bit, while there are enough.
void assign_presence(ObjectRule& rule) {
  std::set<std::uint32_t> matter(rule.required_names.begin(), rule.required_names.end());
  for (const auto& dependency : rule.dependencies) {
    matter.insert(dependency.name);
    matter.insert(dependency.needed.begin(), dependency.needed.end());
  }
  rule.uses_bits = matter.size() <= 64;
  if (!rule.uses_bits) return;
  std::uint64_t next = 1;
  for (const std::uint32_t name : matter) {
    rule.properties[name].presence = next;
    next <<= 1;
  }
  for (const std::uint32_t name : rule.required_names) rule.required |= rule.properties[name].presence;
  for (auto& dependency : rule.dependencies) {
    dependency.trigger = rule.properties[dependency.name].presence;
    for (const std::uint32_t name : dependency.needed) dependency.required |= rule.properties[name].presence;
  }
}

}  // namespace

// The names spoken of, each once, and beside them what is said of each.
class NodeCompiler::Names {
 public:
  explicit Names(std::vector<ObjectRule::Property>& properties) : properties_(properties) {}

  std::uint32_t of(std::string_view name) {
    const auto [known, added] = index_.emplace(std::string(name), static_cast<std::uint32_t>(texts_.size()));
    if (added) {
      texts_.emplace_back(name);
      properties_.emplace_back();
    }
    return known->second;
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> index_;
  std::vector<std::string> texts_;
  std::vector<ObjectRule::Property>& properties_;
};

base::Result<> NodeCompiler::compile_object() {
  ObjectRule rule;
  Names names(rule.properties);
  if (vocabularies_.applicator) PARLEY_CHECK(read_members(rule, names));
  if (vocabularies_.validation) PARLEY_CHECK(read_demands(rule, names));
  const bool says_something = !rule.properties.empty() || !rule.patterns.empty() || rule.additional != none ||
                              rule.property_names != none || rule.least > 0 || rule.most != none;
  if (!says_something) return {};
  PARLEY_CHECK(spend(rule.properties.size()));
  assign_presence(rule);
  PARLEY_TRY(rule.names, key_table(names.take(), "properties"));
  rule.is_simple = rule.patterns.empty() && rule.property_names == none;
  add(Action::object, code_.objects, std::move(rule), {object_family});
  return {};
}

base::Result<> NodeCompiler::read_members(ObjectRule& rule, Names& names) {
  if (const Value properties = schema_.find("properties")) {
    if (!properties.is_object()) return refuse("properties", "`properties` is no object.");
    for (const auto [name, subschema] : properties.members()) {
      PARLEY_TRY(const NodeId id, child(subschema, "properties"));
      rule.properties[names.of(name)].node = id;
    }
  }
  if (const Value patterns = schema_.find("patternProperties")) {
    if (!patterns.is_object()) return refuse("patternProperties", "`patternProperties` is no object.");
    for (const auto [pattern, subschema] : patterns.members()) {
      PARLEY_TRY(const std::uint32_t id, regex(pattern, "patternProperties"));
      PARLEY_TRY(const NodeId node, child(subschema, "patternProperties"));
      rule.patterns.push_back({id, node});
    }
  }
  PARLEY_CHECK(read_child("additionalProperties", rule.additional));
  return read_child("propertyNames", rule.property_names);
}

base::Result<> NodeCompiler::read_demands(ObjectRule& rule, Names& names) {
  PARLEY_CHECK(read_count("minProperties", rule.least));
  PARLEY_CHECK(read_count("maxProperties", rule.most));
  if (const Value required = schema_.find("required")) {
    PARLEY_TRY(rule.required_names, read_names(required, "required", names));
  }
  const Value dependent = schema_.find("dependentRequired");
  if (dependent && !dependent.is_object()) return refuse("dependentRequired", "`dependentRequired` is no object.");
  for (const auto [name, list] : dependent.members()) {
    ObjectRule::Dependency dependency;
    dependency.name = names.of(name);
    PARLEY_TRY(dependency.needed, read_names(list, "dependentRequired", names));
    rule.dependencies.push_back(std::move(dependency));
  }
  return {};
}

base::Result<std::vector<std::uint32_t>> NodeCompiler::read_names(Value list, std::string_view keyword, Names& names) {
  if (!list.is_array()) return refuse(keyword, "`" + std::string(keyword) + "` is no array of names.");
  PARLEY_CHECK(spend(list.size()));
  std::vector<std::uint32_t> ids;
  for (const Value name : list.elements()) {
    if (!name.is_string()) return refuse(keyword, "`" + std::string(keyword) + "` holds what is no name.");
    ids.push_back(names.of(name.as_string()));
  }
  return ids;
}

}  // namespace parley::schema
