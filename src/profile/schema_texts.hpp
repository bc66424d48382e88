// What a profile's schemas say about one place of a message, read from their texts. For the lint only: it asks what is
// stated, not whether a value passes. Value type.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "profile/files.hpp"

namespace parley::profile {

class SchemaTexts {
 public:
  explicit SchemaTexts(const Files& files);  // those below schemas/ that are JSON; the others are load's business

  // Every subschema of `file` that may apply at that place, by way of $ref, properties, allOf, anyOf, oneOf, then,
  // else. None: the schema does not know the place.
  std::vector<json::Value> at(std::string_view file, std::string_view pointer) const;

  // Those that may apply to the elements of an array there.
  std::vector<json::Value> elements_at(std::string_view file, std::string_view pointer) const;

 private:
  struct Place {
    std::string_view file;
    json::Value schema;
  };

  std::vector<Place> places_at(std::string_view file, std::string_view pointer) const;
  void expand(const Place& place, std::vector<Place>& into) const;
  std::optional<Place> referred(const Place& from, std::string_view reference) const;

  std::map<std::string, json::Document, std::less<>> documents_;
};

}  // namespace parley::profile
