#include "cli/scenario/plain.hpp"

#include <algorithm>
#include <iterator>

#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

// Different each time, and no part of how a story ends: how long, how often offered (a kill takes offers back, R46),
// the hash of bytes that have a time in them, what its sender had heard last.
bool is_passing_detail(std::string_view key) {
  constexpr std::string_view details[] = {"caused_by", "offset",         "offers", "processing_duration_ms",
                                          "shown",     "sequence_number"};
  return std::ranges::find(details, key) != std::end(details);
}

bool holds_offsets(std::string_view key) {
  constexpr std::string_view keys[] = {"assignments", "answers", "closed_by", "ended_by", "extends", "root"};
  return std::ranges::find(keys, key) != std::end(keys);
}

bool fits(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  return std::equal(shape.begin(), shape.end(), text.begin(), [](char wanted, char c) {
    if (wanted == '0') return c >= '0' && c <= '9';
    if (wanted == 'x') return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    return c == wanted;
  });
}

constexpr std::string_view uuid_shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view time_shape = "0000-00-00T00:00:00";

std::size_t length_of_time(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.", time_shape.size());
  return end != text.npos && text[end] == 'Z' ? end + 1 : std::min(end, text.size());
}

}  // namespace

Plain::Plain(const Story& story) {
  for (const Step& step : story.steps()) steps_[story.id_of(step.name)] = "{" + std::string(step.name) + "}";
}

void Plain::name_offset(std::uint64_t offset, std::string_view message_id) {
  offsets_[offset] = (*this)(message_id);
}

std::string Plain::operator()(std::string_view text) const {
  std::string plain;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (fits(text, uuid_shape)) {
      taken = uuid_shape.size();
      const auto step = steps_.find(text.substr(0, taken));
      plain += step == steps_.end() ? "{uuid}" : step->second;
    } else if (fits(text, time_shape)) {
      taken = length_of_time(text);
      plain += "{time}";
    } else {
      plain += text.front();
    }
    text.remove_prefix(taken);
  }
  return plain;
}

std::string Plain::text(json::Value value) const {
  std::string lines;
  each("", value, [&](const std::string& path, std::string leaf) { lines += path + "=" + leaf + " "; });
  return lines;
}

void Plain::each(const std::string& path, json::Value value,
                 const std::function<void(const std::string& path, std::string json)>& leaf) const {
  const std::string_view key = std::string_view(path).substr(path.rfind('/') + 1);
  if (is_passing_detail(key)) return;
  if (value.is_object()) {
    for (const auto [name, member] : value.members()) each(path + "/" + (*this)(name), member, leaf);
  } else if (value.is_array() && !(holds_offsets(key) && value.element(0).is_number())) {
    std::size_t index = 0;
    for (const auto element : value.elements()) each(path + "/" + std::to_string(index++), element, leaf);
  } else {
    leaf(path, leaf_text(key, value));
  }
}

std::string Plain::leaf_text(std::string_view key, json::Value value) const {
  std::string text;
  json::Writer out(text);
  const auto name = [&](json::Value offset) {
    const auto named = offsets_.find(offset.if_uint().value_or(0));
    out.string(named == offsets_.end() ? "{offset}" : named->second);
  };
  if (value.is_array()) {
    out.begin_array();
    for (const auto offset : value.elements()) name(offset);
    out.end_array();
  } else if (holds_offsets(key) && value.is_number()) {
    name(value);
  } else if (const auto string = value.if_string()) {
    out.string((*this)(*string));
  } else {
    out.value(value);
  }
  return text;
}

}  // namespace parley::cli::scenario
