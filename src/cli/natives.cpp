#include "cli/natives.hpp"

#include <algorithm>

#include "cli/online.hpp"
#include "json/parser.hpp"
#include "json/parts.hpp"

namespace parley::cli {
namespace {

constexpr std::size_t file_messages_max = 1'000'000;

}  // namespace

bool is_ndjson(const std::string& file) {
  return file.ends_with(".ndjson") || file.ends_with(".jsonl");
}

std::unexpected<base::Error> no_message(const std::string& file) {
  const std::string named = file == "-" ? "standard input" : file;
  return base::fail(base::ErrorCode::BAD_REQUEST, "there is no message in " + named, named,
                    "Name a file with a message, with an array of them, or with one a line.");
}

Natives natives_in(const std::string& text, bool ndjson) {
  if (ndjson) {
    const auto lines = json::lines_of(text);
    return {{lines.begin(), lines.end()}, true};
  }
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '[') return {{text}, false};
  json::Limits limits = answer_limits;
  limits.depth += 1;  // each message of an array is one level deeper
  json::Parser parser;
  const auto array = parser.parse(text, limits);
  if (!array) {  // what is wrong with one of them is the server's to say
    const auto parts = json::parts_of(text, file_messages_max);
    const bool apart = parts && std::ranges::all_of(*parts, json::is_one_part);
    return apart ? Natives{{parts->begin(), parts->end()}, true} : Natives{{text}, false};
  }
  std::vector<std::string_view> slices;
  parser.slices(*array, slices);
  return {{slices.begin(), slices.end()}, true};
}

}  // namespace parley::cli
