// The compiled form of a schema: nodes (one a subschema in use) with rules, in tables, joined by indexes.
// Made by compile*.cpp, run by run.cpp. Internal to schema/; immutable once compiled.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "schema/format.hpp"
#include "schema/key_table.hpp"
#include "schema/regex.hpp"
#include "schema/source.hpp"

namespace parley::schema {

using NodeId = std::uint32_t;
inline constexpr std::uint32_t none = UINT32_MAX;

// Bits of Node::types. A number written with fraction or exponent has `real`, and `integer` too where it is integral.
enum TypeBit : std::uint8_t {
  null_bit = 1,
  boolean_bit = 2,
  integer_bit = 4,
  real_bit = 8,
  string_bit = 16,
  array_bit = 32,
  object_bit = 64,
  all_bits = 127
};

// Instances as far as rules differ: each node has one list of steps per family.
enum Family : std::uint8_t { plain_family, number_family, string_family, array_family, object_family, family_count };

enum class Action : std::uint8_t {
  nothing,
  list,
  values,
  number,
  string,
  object,
  array,
  refer,
  refer_dynamically,
  any_of,
  one_of,
  not_,
  conditional,
  depend,
  unevaluated_items,
  unevaluated_properties,
};

struct Step {
  Action action = Action::nothing;
  std::uint32_t rule = 0;  // in the action's table
};

struct Node {
  std::array<Step, family_count> only{};  // where a list has one step, that; else Action::list
  std::uint8_t types = all_bits;
  bool never = false;       // the schema `false`
  std::uint8_t tracks = 0;  // by family: has unevaluated*, and so marks of its own
  std::array<std::uint32_t, family_count> count{};
  std::array<std::uint32_t, family_count> first{};  // into Code::steps
  std::uint32_t scope = 0;                          // into Code::scopes: the resource it stands in
};

struct ValuesRule {  // const, enum
  bool is_const = false;
  KeyTable strings;
  struct Other {
    std::uint64_t hash;
    json::Value value;
  };
  std::vector<Other> others;  // by hash
};

struct NumberRule {
  enum Bound : std::uint8_t { minimum, exclusive_minimum, maximum, exclusive_maximum, bound_count };
  std::array<bool, bound_count> has{};
  std::array<json::Number, bound_count> bound{};
  bool has_multiple = false;
  json::Number multiple;
  bool has_real_range = false;  // the bounds are doubles without loss, and as a closed range are these
  double lowest_real = -HUGE_VAL, highest_real = HUGE_VAL;
  std::int64_t lowest = INT64_MIN,
               highest = INT64_MAX;  // the bounds as they apply to an int64; empty if lowest > highest
};

struct StringRule {
  std::uint32_t least = 0, most = none;  // code points
  std::uint32_t pattern = none;
  std::string such_as;  // the schema's `examples`, where a pattern has any: a regular expression explains little
  FormatCheck format = nullptr;
  std::string format_name;
};

struct ObjectRule {
  struct Property {
    NodeId node = none;          // none: named by `required` or a dependency only
    std::uint64_t presence = 0;  // its bit, where its presence matters
  };
  struct Pattern {
    std::uint32_t regex;
    NodeId node;
  };
  struct Dependency {
    std::uint32_t name = 0;  // into names
    std::vector<std::uint32_t> needed;
    std::uint64_t trigger = 0, required = 0;  // the same as bits
  };
  KeyTable names;
  std::vector<Property> properties;  // beside names
  std::vector<Pattern> patterns;
  NodeId additional = none;
  NodeId property_names = none;
  std::uint32_t least = 0, most = none;
  std::uint64_t required = 0;
  std::vector<std::uint32_t> required_names;  // into names
  std::vector<Dependency> dependencies;
  bool is_simple = false;  // no patterns, no propertyNames: names alone decide
  bool uses_bits = true;   // else more than 64 names matter, and presence is looked up
};

struct ArrayRule {
  std::vector<NodeId> prefix;
  NodeId items = none;
  NodeId contains = none;
  std::uint32_t contains_least = 1, contains_most = none;
  bool has_min_contains = false;
  std::uint32_t least = 0, most = none;
  bool unique = false;
};

struct ReferRule {
  NodeId node;
  std::string keyword;         // "$ref", "allOf", …
  std::uint32_t index = none;  // in allOf
};

struct DynamicRule {
  NodeId fallback;
  std::string anchor;
  std::vector<NodeId> by_scope;  // the anchor's node in each scope, none where it has none
};

struct BranchesRule {
  std::vector<NodeId> nodes;
};

struct NegationRule {
  NodeId node;
  std::string why;  // the description beside it: what `not` refuses says itself badly
};

struct ConditionalRule {
  NodeId condition, then = none, otherwise = none;
};

struct DependRule {  // dependentSchemas, one name
  std::string name;
  NodeId node;
};

struct UnevaluatedRule {
  NodeId node;
};

struct Code {
  std::vector<Node> nodes;
  std::vector<Node> short_cuts;  // the same, where a node that only refers is the node it refers to: for accepting
  std::vector<Step> steps;
  std::vector<ValuesRule> values;
  std::vector<NumberRule> numbers;
  std::vector<StringRule> strings;
  std::vector<ObjectRule> objects;
  std::vector<ArrayRule> arrays;
  std::vector<ReferRule> references;
  std::vector<DynamicRule> dynamic_references;
  std::vector<BranchesRule> branches;
  std::vector<NegationRule> negations;
  std::vector<ConditionalRule> conditionals;
  std::vector<DependRule> dependencies;
  std::vector<UnevaluatedRule> unevaluated;
  std::vector<Regex> regexes;
  NodeId root = 0;
  bool is_dynamic = false;  // some reference depends on the way it was reached
  std::uint64_t steps_max = 0;
  std::vector<std::shared_ptr<const Source>> sources;  // keep what values and texts point to
};

}  // namespace parley::schema
