#include "json/merge_patch.hpp"

#include <map>

#include "json/writer.hpp"

namespace parley::json {
namespace {

void write(Writer& writer, Value target, Value patch) {
  if (!patch.is_object()) return static_cast<void>(writer.value(patch));
  std::map<std::string_view, Value> left;
  for (const auto [name, value] : patch.members()) left.emplace(name, value);
  writer.begin_object();
  for (const auto [name, value] : target.members()) {
    const auto at = left.find(name);
    if (at == left.end()) {
      writer.key(name).value(value);
      continue;
    }
    if (!at->second.is_null()) write(writer.key(name), value, at->second);
    left.erase(at);
  }
  for (const auto [name, value] : patch.members())
    if (left.contains(name) && !value.is_null()) write(writer.key(name), Value(), value);
  writer.end_object();
}

}  // namespace

std::string merge_patch(Value target, Value patch) {
  std::string text;
  Writer writer(text);
  write(writer, target, patch);
  return text;
}

}  // namespace parley::json
