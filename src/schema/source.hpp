// One schema document, and what has a name in it: resources (`$id`), anchors, dynamic anchors. Internal to schema/.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "json/parser.hpp"
#include "schema/registry.hpp"

namespace parley::schema {

struct Resource {
  std::string uri;       // absolute, without fragment; relative or empty where nothing gave a base
  std::uint32_t at = 1;  // on the document's tape
  std::string dialect;   // `$schema`, or that of the resource around it
  std::map<std::string, std::uint32_t, std::less<>> anchors;  // dynamic ones too
  std::map<std::string, std::uint32_t, std::less<>> dynamic_anchors;
};

struct Source {
  json::Document document;
  std::vector<Resource> resources;                            // [0] is the document itself
  std::unordered_map<std::uint32_t, std::uint32_t> owner_of;  // schema's place on the tape → its resource

  json::Value at(std::uint32_t place) const {
    const json::Value root = document.root();
    return json::Value(root.words(), root.strings(), place);
  }
};

base::Result<std::shared_ptr<const Source>> index_source(std::string_view uri, std::string_view schema_json);

// A schema's place: which document, where on its tape, under which resource.
struct Place {
  const Source* source = nullptr;
  std::uint32_t at = 0;
  std::uint32_t resource = 0;
};

// The JSON Pointer of a schema, or of a keyword of its.
std::string pointer_to(const Place& place, std::string_view keyword = {});

// How a keyword holds subschemas.
enum class Holds : std::uint8_t { no_schema, one, list, map };
Holds holds(std::string_view keyword);

// Finds what a reference names: first in the document itself, then in the registry.
class Resolver {
 public:
  Resolver(std::shared_ptr<const Source> root, const Registry& registry);

  // Nothing where it leads nowhere.
  std::optional<Place> resolve(const Place& from, std::string_view reference) const;
  // The document known by that absolute URI.
  std::optional<Place> resource(std::string_view uri) const;

  // The owners of what was used.
  std::vector<std::shared_ptr<const Source>> sources(const std::set<const Source*>& used) const;

 private:
  std::shared_ptr<const Source> root_;
  const Registry& registry_;
};

}  // namespace parley::schema
