#include "sim/natives.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "profile/files.hpp"
#include "sim/texts.hpp"

namespace parley::sim {
namespace {

using Edits = std::map<std::string, std::string, std::less<>>;  // pointer → JSON text instead; empty: left out

std::pair<std::string, std::string> split(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  return {std::string(pointer.substr(0, slash)), std::string(pointer.substr(slash + 1))};
}

// Copies an object with its members replaced, and those added that it lacks.
void write(json::Writer& out, json::Value value, const std::string& at, const Edits& edits) {
  if (const auto edit = edits.find(at); edit != edits.end()) {
    out.raw(edit->second);
    return;
  }
  if (!value.is_object()) {
    out.value(value);
    return;
  }
  out.begin_object();
  for (const auto [key, member] : value.members()) {
    std::string pointer = at;
    json::append_token(pointer, key);
    if (const auto edit = edits.find(pointer); edit != edits.end() && edit->second.empty()) continue;
    write(out.key(key), member, pointer, edits);
  }
  for (const auto& [pointer, text] : edits) {
    const auto [parent, key] = split(pointer);
    if (parent == at && !text.empty() && !value.find(key)) out.key(key).raw(text);
  }
  out.end_object();
}

json::Value at(json::Value value, std::string_view pointer) {
  return json::Pointer::parse(pointer).value().resolve(value);
}

std::string member_of(json::Value value, std::string_view key) {
  return std::string(value.find(key).if_string().value_or(""));
}

Places places_of(json::Value profile) {
  const json::Value envelope = profile.find("envelope");
  Places places;
  places.id = member_of(envelope, "id");
  places.timestamp = member_of(envelope, "timestamp");
  places.recipients = member_of(envelope, "recipients");
  places.reply_to = member_of(envelope, "reply_to");
  places.type = member_of(profile, "type_at");
  for (const json::Value task : profile.find("task_at").elements())
    if (places.task.empty()) places.task = *task.if_string();
  for (const json::Value word : profile.find("broadcast").elements()) places.broadcast_word = *word.if_string();
  for (const json::Value expiry : envelope.find("expiry").elements()) {
    if (!places.expiry.empty()) break;
    places.expiry = member_of(expiry, "at");
    const std::string is = member_of(expiry, "is");
    places.expiry_is = is == "seconds"        ? Places::Expiry::seconds
                       : is == "milliseconds" ? Places::Expiry::milliseconds
                                              : Places::Expiry::instant;
  }
  return places;
}

json::Document parsed(const std::string& text) {
  auto document = json::Document::parse(text);
  PARLEY_ASSERT(document.has_value());
  return std::move(*document);
}

}  // namespace

Natives::Natives() {
  for (const std::string& name : profile::built_in_names()) add_profile(name);
}

void Natives::add_profile(const std::string& name) {
  const profile::Files files = profile::built_in_files(name);
  const json::Document description = parsed(files.at("profile.json"));
  const Places& places = places_.emplace(name, places_of(description.root())).first->second;
  const std::string sender_at = member_of(description.root().find("envelope"), "sender");

  const json::Document agents = parsed(files.at("examples/agents.json"));
  std::vector<std::string> ids;
  for (const json::Value agent : agents.root().find("agents").elements()) {
    std::string registration;
    json::Writer writer(registration);
    writer.begin_object().member("profile", std::string_view(name));
    for (const auto [key, value] : agent.members()) writer.member(key, value);
    writer.end_object();
    ids.push_back(member_of(agent, "agent_id"));
    cast_.push_back({name, ids.back(), std::move(registration)});
  }
  for (const auto& [path, text] : files) {
    const bool example = path.starts_with("examples/") && path.find('/', 9) == std::string::npos;
    if (!example || path == "examples/agents.json") continue;
    json::Document document = parsed(text);
    const std::string sender(at(document.root(), sender_at).if_string().value_or(""));
    const auto to = at(document.root(), places.recipients).if_string();
    // People and the server itself send some; "auto" needs a route.
    if (std::find(ids.begin(), ids.end(), sender) == ids.end() || to == "auto") continue;
    examples_.push_back({name, path.substr(9), sender, std::move(document)});
  }
}

std::size_t Natives::example_named(std::string_view profile, std::string_view name) const {
  const auto at = std::find_if(examples_.begin(), examples_.end(),
                               [&](const Example& one) { return one.profile == profile && one.name == name; });
  PARLEY_ASSERT(at != examples_.end());
  return static_cast<std::size_t>(at - examples_.begin());
}

bool Natives::may_expire(const Example& example) const {
  const Places& places = this->places(example.profile);
  if (places.expiry_is == Places::Expiry::none) return false;
  const std::string parent = split(places.expiry).first;
  return at(example.document.root(), parent).is_object();
}

bool Natives::is_free(const Example& example) const {
  return example.profile == "mesh" || example.profile == "pipeline";
}

std::string Natives::fresh_id(std::string_view profile, std::string_view sender, base::Instant now, Dice& dice) const {
  if (profile != "pipeline") return dice.uuid();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return "msg-" + std::to_string(seconds) + "-" + std::string(sender) + "-" + std::to_string(dice.next());
}

std::string Natives::text(const Example& example, const Wish& wish) const {
  const Places& places = this->places(example.profile);
  Edits edits;
  edits[places.id] = quoted(wish.id);
  edits[places.timestamp] = wish.defect == Defect::timestamp ? "12345" : quoted(base::to_rfc3339(wish.now));
  if (!wish.task.empty() && at(example.document.root(), places.task).is_string())
    edits[places.task] = quoted(wish.task);
  if (!wish.reply_to.empty()) edits[places.reply_to] = quoted(wish.reply_to);
  if (wish.lives) {
    const auto us = wish.lives->count();
    if (places.expiry_is == Places::Expiry::seconds)
      edits[places.expiry] = std::to_string(static_cast<double>(us) / 1e6);
    if (places.expiry_is == Places::Expiry::milliseconds) edits[places.expiry] = std::to_string(us / 1000);
    if (places.expiry_is == Places::Expiry::instant)
      edits[places.expiry] = quoted(base::to_rfc3339(wish.now + *wish.lives));
  }
  if (wish.broadcast) {
    edits[places.recipients] = quoted(places.broadcast_word);
  } else if (wish.recipients.size() == 1) {
    edits[places.recipients] = quoted(wish.recipients.front());
  } else if (!wish.recipients.empty()) {
    std::string list;
    json::Writer writer(list);
    writer.begin_array();
    for (const std::string& recipient : wish.recipients) writer.string(recipient);
    writer.end_array();
    edits[places.recipients] = list;
  }
  for (const auto& [pointer, json] : wish.edits) edits[pointer] = json;
  if (wish.defect == Defect::type) edits[places.type] = quoted("no_such_type");
  if (wish.defect == Defect::recipient) edits[places.recipients] = quoted("nobody-here");

  std::string text;
  json::Writer writer(text, wish.spaced ? 2 : 0);
  write(writer, example.document.root(), "", edits);
  return text;
}

}  // namespace parley::sim
