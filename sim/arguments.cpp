#include "sim/arguments.hpp"

#include <charconv>

namespace parley::sim {
namespace {

template <class Number>
bool read(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_range(std::string_view text, Arguments& arguments) {
  const std::size_t dots = text.find("..");
  return dots != std::string_view::npos && read(text.substr(0, dots), arguments.first) &&
         read(text.substr(dots + 2), arguments.last) && arguments.first <= arguments.last;
}

bool* flag(std::string_view word, Arguments& arguments) {
  if (word == "--twice") return &arguments.twice;
  if (word == "--verbose") return &arguments.verbose;
  if (word == "--json") return &arguments.json;
  if (word == "--any-sightings") return &arguments.any_sightings;
  return nullptr;
}

bool read_option(std::string_view word, std::string_view value, Arguments& arguments) {
  if (word == "--seeds") return read_range(value, arguments);
  if (word == "--steps") return read(value, arguments.steps);
  if (word == "--jobs") return read(value, arguments.jobs);
  if (word == "--expect") return !(arguments.expected = value).empty();
  if (word == "--seed") {
    arguments.one = read(value, arguments.first);
    arguments.last = arguments.first;
    return arguments.one;
  }
  if (word == "--planted") {
    const auto planted = planted_named(value);
    arguments.planted = planted.value_or(Planted::none);
    return planted.has_value();
  }
  return false;
}

}  // namespace

std::optional<Arguments> read_arguments(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    if (bool* const on = flag(words[i], arguments)) {
      *on = true;
      continue;
    }
    if (i + 1 == count || !read_option(words[i], words[i + 1], arguments)) return std::nullopt;
    ++i;
  }
  return arguments;
}

}  // namespace parley::sim
