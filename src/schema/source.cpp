// Reading a schema document for names. Only keywords that hold subschemas are walked: an `$id` inside `const`, `enum`
// or an unknown keyword names nothing.
#include "schema/source.hpp"

#include "json/pointer.hpp"
#include "schema/uri.hpp"

namespace parley::schema {
namespace {

using base::ErrorCode;

// Schemas are trusted more than messages, and bounded all the same.
constexpr json::Limits schema_limits{.bytes = 8 << 20, .depth = 128};

class Indexer {
 public:
  explicit Indexer(Source& source) : source_(source) {}

  base::Result<> walk(json::Value schema, std::uint32_t resource) {
    if (schema.is_object()) PARLEY_CHECK(name(schema, resource));
    source_.owner_of.emplace(schema.at(), resource);
    for (const auto [keyword, value] : schema.members()) {
      switch (holds(keyword)) {
        case Holds::no_schema:
          break;
        case Holds::one:
          PARLEY_CHECK(walk_schema(value, resource));
          break;
        case Holds::list:
          for (const json::Value element : value.elements()) PARLEY_CHECK(walk_schema(element, resource));
          break;
        case Holds::map:
          for (const auto [key, member] : value.members()) PARLEY_CHECK(walk_schema(member, resource));
          break;
      }
    }
    return {};
  }

 private:
  base::Result<> walk_schema(json::Value schema, std::uint32_t resource) {
    if (schema.is_object() || schema.is_bool()) return walk(schema, resource);
    return {};  // the compiler refuses it where it is used
  }

  base::Result<> name(json::Value schema, std::uint32_t& resource) {
    const json::Value id = schema.find("$id");
    if (id && !id.is_string()) return refuse(schema, "$id", "`$id` is no string.");
    if (id) {
      const SplitUri uri = split_fragment(resolve_uri(source_.resources[resource].uri, id.as_string()));
      if (!uri.fragment.empty()) return refuse(schema, "$id", "`$id` has a fragment; use `$anchor`.");
      if (schema.at() == 1) {
        source_.resources[0].uri = uri.absolute;
      } else {
        for (const Resource& other : source_.resources)
          if (other.uri == uri.absolute) return refuse(schema, "$id", "Two schemas have the `$id` " + uri.absolute);
        source_.resources.push_back({uri.absolute, schema.at(), source_.resources[resource].dialect, {}, {}});
        resource = static_cast<std::uint32_t>(source_.resources.size() - 1);
      }
    }
    if (const auto dialect = schema.find("$schema").if_string();
        dialect && source_.resources[resource].at == schema.at())
      source_.resources[resource].dialect = split_fragment(*dialect).absolute;
    PARLEY_CHECK(anchor(schema, "$anchor", resource));
    return anchor(schema, "$dynamicAnchor", resource);
  }

  base::Result<> anchor(json::Value schema, std::string_view keyword, std::uint32_t resource) {
    const json::Value name = schema.find(keyword);
    if (!name) return {};
    if (!name.is_string()) return refuse(schema, keyword, "`" + std::string(keyword) + "` is no string.");
    const std::string text(name.as_string());
    Resource& owner = source_.resources[resource];
    const auto [known, added] = owner.anchors.emplace(text, schema.at());
    if (!added && known->second != schema.at()) return refuse(schema, keyword, "Two schemas have the anchor " + text);
    if (keyword == "$dynamicAnchor") owner.dynamic_anchors.emplace(text, schema.at());
    return {};
  }

  std::unexpected<base::Error> refuse(json::Value schema, std::string_view keyword, std::string message) const {
    return base::fail(ErrorCode::SCHEMA_INVALID, std::move(message), pointer_to({&source_, schema.at()}, keyword));
  }

  Source& source_;
};

}  // namespace

std::string pointer_to(const Place& place, std::string_view keyword) {
  std::string text = json::pointer_to(place.source->document.root(), place.source->at(place.at));
  if (!keyword.empty()) json::append_token(text, keyword);
  return text;
}

Holds holds(std::string_view keyword) {
  static const std::map<std::string_view, Holds> table = {
      {"additionalProperties", Holds::one},
      {"propertyNames", Holds::one},
      {"items", Holds::one},
      {"contains", Holds::one},
      {"not", Holds::one},
      {"if", Holds::one},
      {"then", Holds::one},
      {"else", Holds::one},
      {"unevaluatedItems", Holds::one},
      {"unevaluatedProperties", Holds::one},
      {"contentSchema", Holds::one},
      {"allOf", Holds::list},
      {"anyOf", Holds::list},
      {"oneOf", Holds::list},
      {"prefixItems", Holds::list},
      {"properties", Holds::map},
      {"patternProperties", Holds::map},
      {"dependentSchemas", Holds::map},
      {"$defs", Holds::map},
      {"definitions", Holds::map},
  };
  const auto found = table.find(keyword);
  return found == table.end() ? Holds::no_schema : found->second;
}

base::Result<std::shared_ptr<const Source>> index_source(std::string_view uri, std::string_view schema_json) {
  auto source = std::make_shared<Source>();
  auto document = json::Document::parse(schema_json, schema_limits);
  if (!document) {
    base::Error error = std::move(document).error();
    error.code = error.code == ErrorCode::PAYLOAD_TOO_LARGE ? ErrorCode::SCHEMA_TOO_COMPLEX : ErrorCode::SCHEMA_INVALID;
    return std::unexpected(std::move(error));
  }
  source->document = std::move(*document);
  const json::Value root = source->document.root();
  if (!root.is_object() && !root.is_bool())
    return base::fail(ErrorCode::SCHEMA_INVALID, "A schema is an object, true or false.");
  source->resources.push_back({split_fragment(uri).absolute, root.at(), {}, {}, {}});
  PARLEY_CHECK(Indexer(*source).walk(root, 0));
  return std::shared_ptr<const Source>(std::move(source));
}

base::Result<> Registry::add(std::string_view uri, std::string_view schema_json) {
  PARLEY_TRY(const std::shared_ptr<const Source> source, index_source(uri, schema_json));
  const std::string own = split_fragment(uri).absolute;
  resources_.insert_or_assign(own, std::pair(source, 0u));
  for (std::uint32_t i = 0; i < source->resources.size(); ++i)
    resources_.insert_or_assign(source->resources[i].uri, std::pair(source, i));
  return {};
}

Resolver::Resolver(std::shared_ptr<const Source> root, const Registry& registry)
    : root_(std::move(root)), registry_(registry) {}

std::optional<Place> Resolver::resource(std::string_view uri) const {
  for (std::uint32_t i = 0; i < root_->resources.size(); ++i)
    if (root_->resources[i].uri == uri) return Place{root_.get(), root_->resources[i].at, i};
  const auto found = registry_.resources_.find(uri);
  if (found == registry_.resources_.end()) return std::nullopt;
  const auto& [source, index] = found->second;
  return Place{source.get(), source->resources[index].at, index};
}

std::vector<std::shared_ptr<const Source>> Resolver::sources(const std::set<const Source*>& used) const {
  std::set<std::shared_ptr<const Source>> owners = {root_};
  for (const auto& [uri, known] : registry_.resources_)
    if (used.contains(known.first.get())) owners.insert(known.first);
  return {owners.begin(), owners.end()};
}

std::optional<Place> Resolver::resolve(const Place& from, std::string_view reference) const {
  const Resource& base = from.source->resources[from.resource];
  const SplitUri uri = split_fragment(resolve_uri(base.uri, reference));
  std::optional<Place> target =
      uri.absolute == base.uri ? Place{from.source, base.at, from.resource} : resource(uri.absolute);
  if (!target || uri.fragment.empty()) return target;
  if (uri.fragment[0] != '/') {
    const auto& anchors = target->source->resources[target->resource].anchors;
    const auto found = anchors.find(uri.fragment);
    if (found == anchors.end()) return std::nullopt;
    target->at = found->second;
  } else {
    const json::Value place = target->source->at(target->at).at_pointer(uri.fragment);
    if (!place) return std::nullopt;
    target->at = place.at();
  }
  // What lies inside an embedded resource belongs to that one.
  if (const auto owner = target->source->owner_of.find(target->at); owner != target->source->owner_of.end())
    target->resource = owner->second;
  return target;
}

}  // namespace parley::schema
