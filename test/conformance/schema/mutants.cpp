// Walking a schema and a document side by side, writing a changed copy at each keyword.
#include "mutants.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "schema/regex.hpp"
#include "schema/source.hpp"

namespace parley::schema {
namespace {

using json::Value;
using json::Writer;

// A change of one value: other text in its place, or an object with a member less or more.
struct Edit {
  std::uint32_t at;
  std::optional<std::string> text;
  std::string_view without;
  std::string_view added;
};

void write_edited(Writer& writer, Value value, const Edit& edit) {
  const bool here = value.at() == edit.at;
  if (here && edit.text) {
    writer.raw(*edit.text);
  } else if (value.is_array()) {
    writer.begin_array();
    for (const Value element : value.elements()) write_edited(writer, element, edit);
    writer.end_array();
  } else if (value.is_object()) {
    writer.begin_object();
    for (const auto [key, member] : value.members()) {
      if (here && !edit.without.empty() && key == edit.without) continue;
      writer.key(key);
      write_edited(writer, member, edit);
    }
    if (here && !edit.added.empty()) writer.key(edit.added).integer(1);
    writer.end_object();
  } else {
    writer.value(value);
  }
}

class Mutation {
 public:
  Mutation(const Resolver& resolver, Value root, std::vector<Mutant>& out)
      : resolver_(resolver), root_(root), out_(out) {}

  void walk(const Place& place, Value instance, const std::string& at, const std::string& by, int depth = 0) {
    const Value schema = place.source->at(place.at);
    if (!schema.is_object() || depth > 32) return;
    const Spot spot{schema, instance, at, by};
    break_type(spot);
    break_values(spot);
    if (instance.is_number()) break_number(spot);
    if (instance.is_string()) break_string(spot);
    if (instance.is_array()) break_array(spot);
    if (instance.is_object()) break_object(spot);
    descend(place, spot, depth);
  }

 private:
  struct Spot {
    Value schema, instance;
    const std::string& at;
    const std::string& by;
  };
  static constexpr std::string_view stranger = "mutant_member";

  void add(const Spot& spot, std::string_view keyword, const Edit& edit, std::string_view below = {}) {
    Mutant mutant{{}, spot.at, spot.by + "/" + std::string(keyword)};
    if (!below.empty()) json::append_token(mutant.instance, below);
    Writer writer(mutant.json);
    write_edited(writer, root_, edit);
    out_.push_back(std::move(mutant));
  }
  void replace(const Spot& spot, std::string_view keyword, std::string text) {
    add(spot, keyword, {spot.instance.at(), std::move(text), {}, {}});
  }

  static bool allows(Value type, std::string_view name) {
    if (const auto one = type.if_string()) return *one == name;
    for (const Value element : type.elements())
      if (element.as_string() == name) return true;
    return false;
  }

  void break_type(const Spot& spot) {
    const Value type = spot.schema.find("type");
    if (!type) return;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> samples = {{{"null", "null"},
                                                                                       {"boolean", "true"},
                                                                                       {"number", "0.5"},
                                                                                       {"string", "\"\""},
                                                                                       {"array", "[]"},
                                                                                       {"object", "{}"}}};
    for (const auto& [name, text] : samples)
      if (!allows(type, name)) return replace(spot, "type", std::string(text));
  }

  void break_values(const Spot& spot) {
    for (const std::string_view keyword : {"const", "enum"}) {
      if (!spot.schema.find(keyword)) continue;
      if (spot.instance.is_string()) replace(spot, keyword, "\"no such value\"");
      if (spot.instance.is_number()) replace(spot, keyword, "987654321");
    }
  }

  void break_number(const Spot& spot) {
    const auto moved = [&](std::string_view keyword, double by) {
      const auto bound = spot.schema.find(keyword).if_double();
      if (!bound) return;
      const double value = by < 0 ? std::floor(*bound + by) : by > 0 ? std::ceil(*bound + by) : *bound;
      std::string text;
      if (value == std::trunc(value) && std::fabs(value) < 1e15)
        Writer(text).integer(static_cast<std::int64_t>(value));
      else
        Writer(text).real(value);
      replace(spot, keyword, text);
    };
    moved("minimum", -1);
    moved("maximum", 1);
    moved("exclusiveMinimum", 0);
    moved("exclusiveMaximum", 0);
    const auto multiple = spot.schema.find("multipleOf").if_double();
    if (multiple && *multiple > 1 && *multiple == std::trunc(*multiple))
      replace(spot, "multipleOf", std::to_string(static_cast<std::int64_t>(*multiple) + 1));
  }

  void break_string(const Spot& spot) {
    const auto of_length = [](std::uint64_t length) { return '"' + std::string(length, 'a') + '"'; };
    if (const auto least = spot.schema.find("minLength").if_uint(); least && *least > 0)
      replace(spot, "minLength", of_length(*least - 1));
    if (const auto most = spot.schema.find("maxLength").if_uint(); most && *most < 100'000)
      replace(spot, "maxLength", of_length(*most + 1));
    const auto pattern = spot.schema.find("pattern").if_string();
    const auto regex = pattern ? Regex::compile(*pattern) : base::fail(base::ErrorCode::SCHEMA_INVALID, {});
    if (!regex) return;
    for (const std::string_view text : {"\x01", "~ ~", "", "a"}) {
      if (regex->matches(text)) continue;
      std::string quoted;
      json::append_string(quoted, text);
      return replace(spot, "pattern", quoted);
    }
  }

  // The first `count` elements, over again where there are fewer.
  static std::string elements(Value array, std::uint64_t count) {
    std::string text;
    Writer writer(text);
    writer.begin_array();
    for (std::uint64_t i = 0; i < count; ++i) writer.value(array.element(array.size() ? i % array.size() : 0));
    writer.end_array();
    return text;
  }

  void break_array(const Spot& spot) {
    if (const auto least = spot.schema.find("minItems").if_uint(); least && *least > 0)
      replace(spot, "minItems", elements(spot.instance, *least - 1));
    if (const auto most = spot.schema.find("maxItems").if_uint(); most && *most < 10'000)
      replace(spot, "maxItems", elements(spot.instance, *most + 1));
    if (spot.schema.find("uniqueItems").if_bool().value_or(false) && spot.instance.size() > 0)
      replace(spot, "uniqueItems", elements(spot.instance, spot.instance.size() + 1));
  }

  void break_object(const Spot& spot) {
    for (const Value name : spot.schema.find("required").elements())
      if (spot.instance.find(name.as_string()))
        add(spot, "required", {spot.instance.at(), std::nullopt, name.as_string(), {}});
    if (const auto least = spot.schema.find("minProperties").if_uint(); least && *least > 0)
      replace(spot, "minProperties", "{}");
    if (spot.schema.find("patternProperties")) return;
    for (const std::string_view keyword : {"additionalProperties", "unevaluatedProperties"}) {
      if (spot.schema.find(keyword).if_bool().value_or(true)) continue;
      add(spot, keyword, {spot.instance.at(), std::nullopt, {}, stranger}, stranger);
      break;  // what the first refuses, the second does not see
    }
  }

  void descend(const Place& place, const Spot& spot, int depth) {
    const auto below = [&](Value schema) {
      const auto owner = place.source->owner_of.find(schema.at());
      return Place{place.source, schema.at(), owner == place.source->owner_of.end() ? place.resource : owner->second};
    };
    if (const auto reference = spot.schema.find("$ref").if_string())
      if (const auto target = resolver_.resolve(place, *reference))
        walk(*target, spot.instance, spot.at, spot.by + "/$ref", depth + 1);
    std::size_t index = 0;
    for (const Value branch : spot.schema.find("allOf").elements())
      walk(below(branch), spot.instance, spot.at, spot.by + "/allOf/" + std::to_string(index++), depth + 1);
    for (const auto [name, schema] : spot.schema.find("properties").members()) {
      const Value member = spot.instance.find(name);
      if (!member) continue;
      std::string at = spot.at, by = spot.by + "/properties";
      json::append_token(at, name);
      json::append_token(by, name);
      walk(below(schema), member, at, by, depth + 1);
    }
    const Value prefix = spot.schema.find("prefixItems"), items = spot.schema.find("items");
    index = 0;
    for (const Value element : spot.instance.elements()) {
      const std::string at = spot.at + "/" + std::to_string(index);
      if (index < prefix.size())
        walk(below(prefix.element(index)), element, at, spot.by + "/prefixItems/" + std::to_string(index), depth + 1);
      else if (items)
        walk(below(items), element, at, spot.by + "/items", depth + 1);
      ++index;
    }
  }

  const Resolver& resolver_;
  Value root_;
  std::vector<Mutant>& out_;
};

}  // namespace

base::Result<std::vector<Mutant>> mutants_of(std::string_view schema_json, const Value& valid, const Registry& registry,
                                             std::string_view base_uri) {
  PARLEY_TRY(const std::shared_ptr<const Source> source, index_source(base_uri, schema_json));
  const Resolver resolver(source, registry);
  std::vector<Mutant> made;
  Mutation(resolver, valid, made).walk({source.get(), 1, 0}, valid, "", "");
  return made;
}

}  // namespace parley::schema
