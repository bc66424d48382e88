#include "gateway/websocket/members.hpp"

#include "base/quoted.hpp"
#include "envelope/limits.hpp"

namespace parley::gateway::websocket {
namespace {

constexpr std::uint32_t credit_max = 100'000;

}  // namespace

std::unexpected<base::Error> bad_frame(std::string message, std::string where, std::string hint) {
  return base::fail(base::ErrorCode::BAD_FRAME, std::move(message), std::move(where), std::move(hint));
}

base::Result<std::uint32_t> credit_of(json::Value frame, std::string_view key) {
  const auto count = frame.find(key).if_uint();
  if (count && *count <= credit_max) return static_cast<std::uint32_t>(*count);
  return bad_frame('`' + std::string(key) + "` is no whole number up to " + std::to_string(credit_max),
                   '/' + std::string(key));
}

base::Result<std::string_view> text_of(json::Value frame, std::string_view key) {
  const json::Value value = frame.find(key);
  if (value && !value.is_string()) return bad_frame('`' + std::string(key) + "` is no text", '/' + std::string(key));
  return value.if_string().value_or("");
}

base::Result<bool> flag_of(json::Value frame, std::string_view key) {
  const json::Value value = frame.find(key);
  if (value && !value.is_bool())
    return bad_frame('`' + std::string(key) + "` is neither true nor false", '/' + std::string(key));
  return value && value.as_bool();
}

namespace {

// What is said beside a message of a frame: {"supersedes"?, "to"?, "reply_by"?, "evidence"?}, or null.
base::Result<broker::SendOptions> options_of(json::Value said) {
  broker::SendOptions options{.may_want_turn = true};
  if (said.is_null()) return options;
  if (!said.is_object()) return bad_frame("`beside` holds what is neither an object nor null", "/beside");
  for (const auto [key, value] : said.members())
    if (key != "supersedes" && key != "to" && key != "reply_by" && key != "evidence")
      return bad_frame("an element of `beside` has no member " + base::quoted(key), "/beside");
  PARLEY_TRY(options.supersedes, text_of(said, "supersedes"));
  PARLEY_TRY(options.to, text_of(said, "to"));
  PARLEY_TRY(options.evidence, text_of(said, "evidence"));
  PARLEY_TRY(const std::string_view reply_by, text_of(said, "reply_by"));
  if (reply_by.empty()) return options;
  const auto at = base::parse_rfc3339(reply_by);
  if (!at) return bad_frame("`reply_by` is no RFC 3339 date-time", "/beside");
  options.reply_by = *at;
  return options;
}

}  // namespace

base::Result<std::vector<broker::SendOptions>> beside_of(json::Value frame, std::size_t messages) {
  std::vector<broker::SendOptions> all;
  const json::Value list = frame.find("beside");
  if (!list) return all;
  if (!list.is_array() || list.size() != messages)
    return bad_frame("`beside` is no array with an element for each message", "/beside");
  all.reserve(messages);
  for (const json::Value said : list.elements()) {
    PARLEY_TRY(all.emplace_back(), options_of(said));
  }
  return all;
}

base::Result<std::vector<std::string_view>> texts_of(json::Value frame, std::string_view key) {
  std::vector<std::string_view> texts;
  const json::Value list = frame.find(key);
  if (!list) return texts;
  const std::string name(key);
  if (!list.is_array() || list.size() > envelope::listed_max)
    return bad_frame('`' + name + "` is no array of at most " + std::to_string(envelope::listed_max), '/' + name);
  texts.reserve(list.size());
  for (const json::Value item : list.elements()) {
    if (!item.is_string()) return bad_frame('`' + name + "` holds what is no text", '/' + name);
    texts.push_back(item.as_string());
  }
  return texts;
}

}  // namespace parley::gateway::websocket
