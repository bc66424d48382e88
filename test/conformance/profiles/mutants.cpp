#include "mutants.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "edit.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace parley::conformance {
namespace {

constexpr std::string_view folder = "schemas/";

enum class Holds { no_schema, one, list, map };

// Applicators by how they hold subschemas. `if` and `not` choose or invert: what stands in them refuses nothing itself.
Holds holds(std::string_view keyword) {
  for (const std::string_view one : {"items", "additionalProperties", "propertyNames", "then", "else", "contains"})
    if (keyword == one) return Holds::one;
  for (const std::string_view list : {"allOf", "anyOf", "oneOf", "prefixItems"})
    if (keyword == list) return Holds::list;
  for (const std::string_view map : {"properties", "patternProperties", "$defs", "dependentSchemas"})
    if (keyword == map) return Holds::map;
  return Holds::no_schema;
}

constexpr std::array<std::string_view, 19> refusing{"type",
                                                    "enum",
                                                    "const",
                                                    "minLength",
                                                    "maxLength",
                                                    "pattern",
                                                    "format",
                                                    "minimum",
                                                    "maximum",
                                                    "exclusiveMinimum",
                                                    "exclusiveMaximum",
                                                    "multipleOf",
                                                    "minItems",
                                                    "maxItems",
                                                    "uniqueItems",
                                                    "minProperties",
                                                    "maxProperties",
                                                    "not",
                                                    "additionalProperties"};

bool refuses(std::string_view keyword, json::Value value) {
  if (keyword == "additionalProperties") return value.is_bool() && !value.as_bool();
  if (keyword == "uniqueItems") return value.if_bool() == true;
  return std::find(refusing.begin(), refusing.end(), keyword) != refusing.end();
}

// What refuses nothing by itself: annotations, and what the walk goes through.
constexpr std::array<std::string_view, 24> silent{"$schema",
                                                  "$id",
                                                  "$ref",
                                                  "$defs",
                                                  "$comment",
                                                  "title",
                                                  "description",
                                                  "default",
                                                  "examples",
                                                  "deprecated",
                                                  "readOnly",
                                                  "writeOnly",
                                                  "contentEncoding",
                                                  "contentMediaType",
                                                  "properties",
                                                  "items",
                                                  "allOf",
                                                  "if",
                                                  "then",
                                                  "else",
                                                  "additionalProperties",
                                                  "propertyNames",
                                                  "required",
                                                  "$anchor"};

bool understood(std::string_view keyword) {
  return std::find(refusing.begin(), refusing.end(), keyword) != refusing.end() ||
         std::find(silent.begin(), silent.end(), keyword) != silent.end();
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string below(std::string pointer, std::string_view token) {
  json::append_token(pointer, token);
  return pointer;
}

std::string number_text(double value) {
  std::string out;
  if (value == static_cast<double>(static_cast<std::int64_t>(value)))
    json::Writer(out).integer(static_cast<std::int64_t>(value));
  else
    json::Writer(out).real(value);
  return out;
}

// Values of every type, and strings that few formats and patterns take.
const std::vector<std::string> odd_values{"null",
                                          "true",
                                          "false",
                                          "7",
                                          "-7.5",
                                          "\"\"",
                                          "\"?\"",
                                          "\" \"",
                                          "[]",
                                          "{}",
                                          "[7]",
                                          "\"no such word\"",
                                          "\"a/b\\\\c d\\n\"",
                                          "\"auto\"",
                                          "\"broadcast\"",
                                          "\"..\""};

// Texts to put in a value's place so that `keyword` refuses it. The first that does is taken.
std::vector<std::string> bad_values(std::string_view keyword, json::Value stated, json::Value value) {
  const auto size = static_cast<std::size_t>(stated.if_uint().value_or(0));
  if (keyword == "minLength") return {quoted(std::string(size > 0 ? size - 1 : 0, 'a'))};
  if (keyword == "maxLength") return {quoted(std::string(size + 1, 'a'))};
  if (keyword == "minItems") return {array_text(value, size > 0 ? size - 1 : 0)};
  if (keyword == "maxItems") return {array_text(value, size + 1)};
  if (keyword == "uniqueItems") return {array_text(value, value.size() + 1)};
  if (keyword == "minProperties") return {"{}"};
  if (const auto bound = stated.if_double())
    return {number_text(*bound - 1), number_text(*bound + 1), number_text(*bound), number_text(*bound + 0.25)};
  return odd_values;
}

}  // namespace

struct Mutants::Place {
  std::string file;     // "common.schema.json"
  std::string pointer;  // into it
  json::Value schema;

  std::string keyword(std::string_view name) const { return file + '#' + below(pointer, name); }
};

Mutants::Mutants(const profile::Files& files) {
  for (const auto& [path, bytes] : files) {
    if (!path.starts_with(folder)) continue;
    documents_.emplace(path.substr(folder.size()), *json::Document::parse(bytes));
    (void)registry_.add(*documents_.at(path.substr(folder.size())).root().find("$id").if_string(), bytes);
  }
}

std::set<std::string> Mutants::keywords() const {
  std::set<std::string> found;
  walk([&](const Place& place, std::string_view name, json::Value value) {
    if (refuses(name, value)) found.insert(place.keyword(name));
    if (name == "required")
      for (std::size_t i = 0; i < value.size(); ++i) found.insert(place.keyword(name) + '/' + std::to_string(i));
  });
  return found;
}

std::set<std::string> Mutants::not_understood() const {
  std::set<std::string> found;
  walk([&](const Place& place, std::string_view name, json::Value value) {
    // `false` as a member's or an item's schema refuses too; as additionalProperties it is counted.
    const bool forbids = name != "additionalProperties" && holds(name) == Holds::one && value.if_bool() == false;
    if (!understood(name) || forbids) found.insert(place.keyword(name));
    if (holds(name) == Holds::map)
      for (const auto [key, schema] : value.members())
        if (schema.if_bool() == false) found.insert(place.keyword(name) + '/' + std::string(key));
  });
  return found;
}

void Mutants::walk(const std::function<void(const Place&, std::string_view, json::Value)>& see) const {
  const std::function<void(const Place&)> collect = [&](const Place& place) {
    for (const auto [name, value] : place.schema.members()) {
      const std::string at = below(place.pointer, name);
      see(place, name, value);
      std::size_t number = 0;
      switch (holds(name)) {
        case Holds::no_schema:
          break;
        case Holds::one:
          collect({place.file, at, value});
          break;
        case Holds::list:
          for (const json::Value branch : value.elements())
            collect({place.file, at + '/' + std::to_string(number++), branch});
          break;
        case Holds::map:
          for (const auto [key, schema] : value.members()) collect({place.file, below(at, key), schema});
          break;
      }
    }
  };
  for (const auto& [file, document] : documents_) collect({file, "", document.root()});
}

// One walk over an example, along the schemas that apply to it.
class Mutants::Walk {
 public:
  Walk(Mutants& mutants, const schema::Program& program, const std::string& example_path, json::Value example)
      : mutants_(mutants), program_(program), example_path_(example_path), example_(example) {}

  void visit(const Place& place, const std::string& evaluated, json::Value value, const std::string& instance) {
    for (const auto [name, stated] : place.schema.members()) {
      const std::string next = below(evaluated, name);
      if (refuses(name, stated)) try_keyword(place, name, stated, next, value, instance);
      if (name == "required") try_required(place, stated, next, value, instance);
      if (name == "enum") try_members(place, stated, value);
      descend(place, name, stated, next, value, instance);
    }
  }

 private:
  bool is_made(const std::string& keyword) const { return mutants_.made_.contains(keyword); }

  // Keeps the mutant if it is refused at exactly that instance by exactly that keyword.
  void offer(const std::string& keyword, const std::string& instance, const std::string& evaluated,
             const std::string& text) {
    if (is_made(keyword)) return;
    const auto document = json::Document::parse(text);
    if (!document || program_.accepts(document->root())) return;
    for (const base::Problem& problem : program_.explain(document->root(), {1000, false}))
      if (problem.instance == instance && problem.schema == evaluated)
        mutants_.made_.emplace(keyword, Mutant{keyword, instance, evaluated, text, example_path_});
  }

  void try_keyword(const Place& place, std::string_view name, json::Value stated, const std::string& evaluated,
                   json::Value value, const std::string& instance) {
    const std::string keyword = place.keyword(name);
    if (is_made(keyword)) return;
    if (name == "additionalProperties" && value.is_object())
      return offer(keyword, below(instance, "no_such_member"), evaluated,
                   with_member(example_, value, "no_such_member", "7"));
    for (const std::string& bad : bad_values(name, stated, value))
      offer(keyword, instance, evaluated, replaced(example_, value, bad));
  }

  void try_required(const Place& place, json::Value names, const std::string& evaluated, json::Value value,
                    const std::string& instance) {
    std::size_t number = 0;
    for (const json::Value name : names.elements())
      offer(place.keyword("required") + '/' + std::to_string(number++), instance, evaluated,
            without_member(example_, value, name.as_string()));
  }

  // What else of the schema depends on the member is of no account where one example is accepted with it.
  void try_members(const Place& place, json::Value stated, json::Value value) {
    for (const json::Value member : stated.elements()) {
      bool& accepted = mutants_.members_[place.keyword("enum") + ' ' + json::to_text(member)];
      if (accepted) continue;
      const auto document = json::Document::parse(replaced(example_, value, json::to_text(member)));
      accepted = document && program_.accepts(document->root());
    }
  }

  void descend(const Place& place, std::string_view name, json::Value stated, const std::string& evaluated,
               json::Value value, const std::string& instance) {
    const auto at = [&](json::Value schema, const std::string& pointer) { return Place{place.file, pointer, schema}; };
    const std::string pointer = below(place.pointer, name);
    std::size_t number = 0;
    if (name == "$ref") {
      if (const auto target = mutants_.target_of(place.file, stated.as_string()))
        visit(*target, evaluated, value, instance);
    } else if (name == "properties") {
      for (const auto [key, schema] : stated.members())
        if (const json::Value member = value.find(key))
          visit(at(schema, below(pointer, key)), below(evaluated, key), member, below(instance, key));
    } else if (name == "items") {
      for (const json::Value element : value.elements())
        visit(at(stated, pointer), evaluated, element, below(instance, std::to_string(number++)));
    } else if (name == "allOf") {
      for (const json::Value branch : stated.elements()) {
        const std::string token = std::to_string(number++);
        visit(at(branch, below(pointer, token)), below(evaluated, token), value, instance);
      }
    } else if (name == "then" || name == "else") {
      if (mutants_.holds_at(place, value) == (name == "then")) visit(at(stated, pointer), evaluated, value, instance);
    } else if (name == "additionalProperties" && stated.is_object()) {
      const json::Value known = place.schema.find("properties");
      for (const auto [key, member] : value.members())
        if (!known.find(key)) visit(at(stated, pointer), evaluated, member, below(instance, key));
    } else if (name == "propertyNames") {
      visit_names(at(stated, pointer), evaluated, value, instance);
    }
  }

  // A name is no place of its own: the defect is told at the object or at the member, and both are good.
  void visit_names(const Place& place, const std::string& evaluated, json::Value object, const std::string& instance) {
    if (place.schema.find("$ref")) {
      const auto target = mutants_.target_of(place.file, place.schema.find("$ref").as_string());
      if (target) visit_names(*target, evaluated + "/$ref", object, instance);
    }
    for (const auto [name, stated] : place.schema.members()) {
      if (!refuses(name, stated)) continue;
      std::vector<std::string> bad{"", "?", "a/b\\c d\n", "..", std::string(300, 'a')};
      for (const std::string& key : bad)
        for (const std::string& at : {instance, below(instance, key)})
          offer(place.keyword(name), at, below(evaluated, name), with_member(example_, object, key, "{}"));
    }
  }

  Mutants& mutants_;
  const schema::Program& program_;
  const std::string& example_path_;
  json::Value example_;
};

std::optional<Mutants::Place> Mutants::target_of(const std::string& file, std::string_view reference) const {
  const std::size_t hash = std::min(reference.find('#'), reference.size());
  const std::string name = hash == 0 ? file : std::string(reference.substr(0, hash));
  const std::string pointer(hash < reference.size() ? reference.substr(hash + 1) : std::string_view());
  const auto document = documents_.find(name);
  if (document == documents_.end()) return std::nullopt;
  return Place{name, pointer, document->second.root().at_pointer(pointer)};
}

bool Mutants::holds_at(const Place& place, json::Value value) const {
  const std::string uri(documents_.at(place.file).root().find("$id").as_string());
  const std::string reference = "{\"$ref\": \"" + uri + '#' + place.pointer + "/if\"}";
  const auto program = schema::compile(std::string_view(reference), registry_);
  return program && program->accepts(value);
}

void Mutants::make(const std::string& schema_path, const schema::Program& program, const std::string& example_path,
                   json::Value example) {
  const std::string file = schema_path.substr(folder.size());
  Walk(*this, program, example_path, example).visit({file, "", documents_.at(file).root()}, "", example, "");
}

std::string Mutants::keyword_at(const std::string& schema_path, std::string_view evaluated) const {
  Place place{schema_path.substr(folder.size()), "", documents_.at(schema_path.substr(folder.size())).root()};
  while (!evaluated.empty()) {
    const std::size_t end = std::min(evaluated.find('/', 1), evaluated.size());
    const std::string token(evaluated.substr(0, end));
    evaluated.remove_prefix(end);
    if (token == "/$ref" && !evaluated.empty()) {
      const auto target = target_of(place.file, place.schema.find("$ref").if_string().value_or(""));
      if (!target) return "unresolved " + token;
      place = *target;
    } else {
      place = {place.file, place.pointer + token, place.schema.at_pointer(token)};
    }
  }
  return place.file + '#' + place.pointer;
}

}  // namespace parley::conformance
