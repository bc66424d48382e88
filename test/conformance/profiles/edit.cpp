#include "edit.hpp"

#include <functional>

#include "json/writer.hpp"

namespace parley::conformance {
namespace {

using Instead = std::function<std::string(json::Value place)>;

bool same(json::Value a, json::Value b) {
  return a.words() == b.words() && a.at() == b.at();
}

void write(json::Writer& out, json::Value value, json::Value place, const Instead& instead) {
  if (same(value, place)) {
    out.raw(instead(value));
  } else if (value.is_object()) {
    out.begin_object();
    for (const auto [key, member] : value.members()) write(out.key(key), member, place, instead);
    out.end_object();
  } else if (value.is_array()) {
    out.begin_array();
    for (const json::Value element : value.elements()) write(out, element, place, instead);
    out.end_array();
  } else {
    out.value(value);
  }
}

std::string edited(json::Value document, json::Value place, const Instead& instead) {
  std::string text;
  json::Writer out(text);
  write(out, document, place, instead);
  return text;
}

}  // namespace

std::string replaced(json::Value document, json::Value place, std::string_view json) {
  return edited(document, place, [&](json::Value) { return std::string(json); });
}

std::string without_member(json::Value document, json::Value object, std::string_view key) {
  return edited(document, object, [&](json::Value old) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const auto [name, member] : old.members())
      if (name != key) out.key(name).value(member);
    out.end_object();
    return text;
  });
}

std::string with_member(json::Value document, json::Value object, std::string_view key, std::string_view json) {
  return edited(document, object, [&](json::Value old) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const auto [name, member] : old.members())
      if (name != key) out.key(name).value(member);
    out.key(key).raw(json);
    out.end_object();
    return text;
  });
}

std::string array_text(json::Value array, std::size_t count) {
  std::string text;
  json::Writer out(text);
  out.begin_array();
  while (count > 0 && array.size() > 0)
    for (const json::Value element : array.elements()) {
      if (count == 0) break;
      out.value(element);
      --count;
    }
  out.end_array();
  return text;
}

}  // namespace parley::conformance
