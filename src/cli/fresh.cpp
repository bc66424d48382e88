// `parley fresh`: examples and old messages, ready to be sent. Offline.
#include "cli/fresh.hpp"

#include <algorithm>
#include <ostream>

#include "base/ascii.hpp"
#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/uuid.hpp"
#include "cli/contents.hpp"
#include "cli/validate.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct FreshOptions {
  std::string file;
  std::string profile;
};

// Every text between quotes, replaced where `change` says by what.
template <class Change>
std::string with_texts(std::string_view json, Change change) {
  std::string out;
  while (!json.empty()) {
    const std::size_t open = json.find('"');
    out += json.substr(0, open == json.npos ? json.size() : open + 1);
    if (open == json.npos) break;
    json.remove_prefix(open + 1);
    std::size_t close = 0;
    while (close < json.size() && json[close] != '"') close += json[close] == '\\' ? 2 : 1;
    close = std::min(close, json.size());
    out += change(json.substr(0, close));
    json.remove_prefix(close);
    if (!json.empty()) {
      out += '"';
      json.remove_prefix(1);
    }
  }
  return out;
}

// A UUID, or the same words around the digits of now, as in "msg-20260302090412-agent-001".
std::string new_id(std::string_view old, base::Instant now, std::string_view entropy) {
  const bool is_uuid = old.size() == 36 && old[8] == '-' && old[13] == '-' && old[18] == '-' && old[23] == '-';
  const auto first = std::find_if(old.begin(), old.end(), base::is_digit);
  if (is_uuid || first == old.end()) return base::uuid_of(std::string(entropy) + std::string(old));
  const auto last = std::find_if_not(first, old.end(), base::is_digit);
  std::string id(old.begin(), first);
  for (const char c : base::to_rfc3339(now))
    if (base::is_digit(c)) id += c;
  return id.append(last, old.end());
}

base::Result<Exit> fresh(Context& context, const FreshOptions& options) {
  PARLEY_TRY(const auto bytes, contents_of(options.file));
  base::SystemRandom random;
  std::string entropy(16, '\0');
  random.fill({reinterpret_cast<std::uint8_t*>(entropy.data()), entropy.size()});
  PARLEY_TRY(const auto text, freshened(bytes, options.profile, base::SystemClock().wall(), entropy));
  context.terminal.out << (context.terminal.out_is_tty ? printable_json(text) : text);
  return Exit::done;
}

}  // namespace

base::Result<std::string> freshened(std::string_view bytes, std::string_view profile, base::Instant now,
                                    std::string_view entropy) {
  PARLEY_TRY(const Assessment known, assess(std::string(bytes), std::string(profile)));
  const auto sent = base::parse_rfc3339(known.timestamp);
  if (!sent)
    return base::fail(base::ErrorCode::BAD_REQUEST, "the message has no timestamp that could be moved", {},
                      "Write one, as RFC 3339 has it.");
  const base::Duration by = now - *sent;
  const std::string id = new_id(known.message_id, now, entropy);
  return with_texts(bytes, [&](std::string_view text) {
    if (!known.message_id.empty() && text == known.message_id) return std::string(id);
    const bool may_be_a_time = text.size() >= 20 && base::is_digit(text[0]) && text[4] == '-' && text[10] == 'T';
    if (!may_be_a_time) return std::string(text);
    const auto time = base::parse_rfc3339(text);
    return time ? base::to_rfc3339(*time + by) : std::string(text);
  });
}

Verb fresh_verb() {
  auto options = std::make_shared<FreshOptions>();
  return {.name = "fresh",
          .summary = "Print a message with a new id and its times moved to now; ids of other messages in it stay",
          .examples = {"parley fresh spec/profiles/collab/examples/task_assignment.json > task.json"},
          .options = {{"file", "a native message; - is standard input", &options->file, true},
                      {"--profile NAME", "the protocol (default: found by the content)", &options->profile}},
          .run = [options](Context& context) { return fresh(context, *options); }};
}

}  // namespace parley::cli
