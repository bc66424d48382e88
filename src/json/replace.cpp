#include "json/replace.hpp"

namespace parley::json {

void write_replaced(Writer& writer, Value document, Value place, Value other) {
  if (document.words() == place.words() && document.at() == place.at()) {
    writer.value(other);
  } else if (document.is_object()) {
    writer.begin_object();
    for (const auto [key, value] : document.members()) write_replaced(writer.key(key), value, place, other);
    writer.end_object();
  } else if (document.is_array()) {
    writer.begin_array();
    for (const Value element : document.elements()) write_replaced(writer, element, place, other);
    writer.end_array();
  } else {
    writer.value(document);
  }
}

}  // namespace parley::json
