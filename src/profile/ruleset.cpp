#include "profile/ruleset.hpp"

#include <algorithm>

namespace parley::profile {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <class Condition>
std::vector<std::string> names_where(const std::vector<MessageType>& types, Condition holds) {
  std::vector<std::string> names;
  for (const MessageType& type : types)
    if (holds(type) && (names.empty() || names.back() != type.name)) names.push_back(type.name);
  return names;
}

}  // namespace

std::optional<TypeIndex> Ruleset::type_named(std::string_view word) const {
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i].name == word) return TypeIndex(static_cast<std::uint16_t>(i));
  return std::nullopt;
}

std::optional<std::size_t> Ruleset::role_named(std::string_view word) const {
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == word) return i;
  return std::nullopt;
}

std::optional<std::size_t> Ruleset::role_index(std::string_view word) const {
  if (word == human_role) return roles.size();
  if (word == server_role) return roles.size() + 1;
  return role_named(word);
}

std::string_view Ruleset::role_of_agent(std::string_view agent_id, std::string_view agent_type) const {
  if (role_of == RoleOf::agent_id && role_named(agent_id)) return agent_id;
  return agent_type == human_role || agent_type == server_role ? std::string_view() : agent_type;
}

bool Ruleset::may_send(TypeIndex index, std::string_view sender_role) const {
  return type(index).from.has(role_index(sender_role));
}

bool Ruleset::may_receive(TypeIndex index, std::string_view recipient_role) const {
  return type(index).to.has(role_index(recipient_role));
}

std::vector<std::string> Ruleset::receivers(TypeIndex index) const {
  std::vector<std::string> names;
  for (const std::string& role : roles)
    if (may_receive(index, role)) names.push_back(role);
  if (may_receive(index, human_role)) names.emplace_back(human_role);
  return names;
}

std::vector<std::string> Ruleset::legal_types(std::string_view sender_role) const {
  return names_where(types, [sender = role_index(sender_role)](const MessageType& t) { return t.from.has(sender); });
}

std::vector<std::string> Ruleset::legal_types(std::string_view sender_role, std::string_view recipient_role) const {
  return names_where(types, [sender = role_index(sender_role), recipient = role_index(recipient_role)](
                                const MessageType& t) { return t.from.has(sender) && t.to.has(recipient); });
}

bool RetryPolicy::may_pass(std::string_view code) const {
  return codes.empty() || contains(codes, code);
}

machine::health::State HealthPolicy::state_of(std::string_view word) const {
  const auto at = std::find_if(words.begin(), words.end(), [word](const auto& known) { return known.first == word; });
  return at == words.end() ? machine::health::State::none : at->second;
}

ReviewPolicy::State ReviewPolicy::state_of(std::string_view word) const {
  const auto at =
      std::find_if(verdicts.begin(), verdicts.end(), [word](const auto& known) { return known.first == word; });
  return at == verdicts.end() ? State::none : at->second;
}

ErrorPolicy::State ErrorPolicy::state_of(std::string_view word) const {
  const auto at = std::find_if(words.begin(), words.end(), [word](const auto& known) { return known.first == word; });
  return at == words.end() ? State::none : at->second;
}

std::string_view ReviewPolicy::word_of(State state) const {
  const auto at =
      std::find_if(verdicts.begin(), verdicts.end(), [state](const auto& known) { return known.second == state; });
  return at == verdicts.end() ? std::string_view() : std::string_view(at->first);
}

bool Ruleset::is_broadcast(std::string_view recipient) const {
  return contains(broadcast_words, recipient);
}

bool Ruleset::is_automatic(std::string_view recipient) const {
  return contains(automatic_words, recipient);
}

}  // namespace parley::profile
