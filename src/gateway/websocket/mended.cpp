#include "gateway/websocket/mended.hpp"

#include <algorithm>

#include "envelope/limits.hpp"
#include "json/parser.hpp"
#include "json/parts.hpp"

namespace parley::gateway::websocket {
namespace {

constexpr std::size_t members_max = 16;

// Where the array of messages stands; empty where there is none.
std::string_view messages_in(std::string_view frame) {
  constexpr std::string_view key = R"("messages")";
  for (std::string_view member : json::parts_of(frame, members_max).value_or(std::vector<std::string_view>())) {
    if (!member.starts_with(key)) continue;
    const std::size_t begin = member.find_first_not_of(" \t\r\n:", key.size());
    if (begin != member.npos && member[begin] == '[') return member.substr(begin);
  }
  return {};
}

}  // namespace

std::optional<Mended> mended(std::string_view frame) {
  const std::string_view array = messages_in(frame);
  const auto messages = json::parts_of(array, envelope::sent_messages_max);
  if (!messages || !std::ranges::all_of(*messages, json::is_one_part)) return std::nullopt;
  Mended mended;
  json::Parser parser;
  const auto begin = static_cast<std::size_t>(array.data() - frame.data());
  mended.text = frame.substr(0, begin);
  mended.text += '[';
  for (std::size_t i = 0; i < messages->size(); ++i) {
    auto parsed = parser.parse((*messages)[i]);
    if (i > 0) mended.text += ',';
    mended.text += parsed ? (*messages)[i] : std::string_view("null");
    if (!parsed) mended.broken.emplace(i, std::move(parsed).error());
  }
  mended.text += ']';
  mended.text += frame.substr(begin + array.size());
  if (mended.broken.empty()) return std::nullopt;
  return mended;
}

}  // namespace parley::gateway::websocket
