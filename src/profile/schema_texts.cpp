#include "profile/schema_texts.hpp"

#include <algorithm>

#include "json/pointer.hpp"

namespace parley::profile {
namespace {

std::vector<json::Value> values_of(const auto& places) {
  std::vector<json::Value> values;
  values.reserve(places.size());
  for (const auto& place : places) values.push_back(place.schema);
  return values;
}

}  // namespace

SchemaTexts::SchemaTexts(const Files& files) {
  for (const auto& [path, bytes] : files) {
    if (!is_schema(path)) continue;
    if (auto document = json::Document::parse(bytes)) documents_.emplace(path, std::move(*document));
  }
}

std::vector<json::Value> SchemaTexts::at(std::string_view file, std::string_view pointer) const {
  return values_of(places_at(file, pointer));
}

std::vector<json::Value> SchemaTexts::elements_at(std::string_view file, std::string_view pointer) const {
  std::vector<Place> elements;
  for (const Place& place : places_at(file, pointer))
    if (const json::Value items = place.schema.find("items")) expand({place.file, items}, elements);
  return values_of(elements);
}

std::vector<SchemaTexts::Place> SchemaTexts::places_at(std::string_view file, std::string_view pointer) const {
  std::vector<Place> places;
  const auto document = documents_.find(file);
  if (document == documents_.end()) return places;
  expand({document->first, document->second.root()}, places);
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string key = "/properties" + std::string(pointer.substr(0, end));
    std::vector<Place> next;
    for (const Place& place : places)
      if (const json::Value property = place.schema.at_pointer(key)) expand({place.file, property}, next);
    places = std::move(next);
    pointer.remove_prefix(end);
  }
  return places;
}

// The schema itself and all that it applies to the same instance.
void SchemaTexts::expand(const Place& place, std::vector<Place>& into) const {
  const auto same = [&](const Place& known) {
    return known.schema.words() == place.schema.words() && known.schema.at() == place.schema.at();
  };
  if (std::any_of(into.begin(), into.end(), same)) return;
  into.push_back(place);
  if (const auto reference = place.schema.find("$ref").if_string())
    if (const auto target = referred(place, *reference)) expand(*target, into);
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"})
    for (const json::Value branch : place.schema.find(keyword).elements()) expand({place.file, branch}, into);
  for (const std::string_view keyword : {"then", "else"})
    if (const json::Value branch = place.schema.find(keyword)) expand({place.file, branch}, into);
}

std::optional<SchemaTexts::Place> SchemaTexts::referred(const Place& from, std::string_view reference) const {
  const std::size_t hash = std::min(reference.find('#'), reference.size());
  const std::string_view name = reference.substr(0, hash);
  const std::string_view fragment = hash < reference.size() ? reference.substr(hash + 1) : std::string_view();
  const auto document =
      documents_.find(name.empty() ? std::string(from.file) : std::string(schemas_folder) + std::string(name));
  if (document == documents_.end()) return std::nullopt;
  const json::Value target = document->second.root().at_pointer(fragment);
  return target ? std::optional(Place{document->first, target}) : std::nullopt;
}

}  // namespace parley::profile
