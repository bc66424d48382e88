// The canonical message: what every stage after ingress speaks, whatever the sender's profile (rulings R1, R2).
// Value type. It holds what a mechanism needs and no more; the native bytes travel beside it, unchanged (R4).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/time.hpp"
#include "envelope/kind.hpp"
#include "json/value.hpp"

namespace parley::envelope {

enum class Priority : std::uint8_t { low, normal, high, critical };  // R1
inline constexpr std::size_t priority_count = 4;

enum class DeliveryClass : std::uint8_t { at_least_once, at_most_once };  // R20, R30

std::string_view name(Priority priority);
std::string_view name(DeliveryClass delivery);
std::optional<Priority> priority_named(std::string_view name);

// One value that the sender's profile maps to a canonical field of the message's kind.
struct Field {
  std::string_view name;  // a text of the ruleset's
  json::Value value;      // of the native message, valid as long as that is
  std::string json;       // as JSON text; empty for a list or an object that is not recorded
  bool recorded = true;   // in the message's event; else it serves the decision alone
};

// A bit of a field's name: most names that are asked for are of no field of the message, and told by it not to be.
constexpr std::uint64_t bit_of(std::string_view name) {
  if (name.empty()) return 1;
  const auto byte = [](char c) { return std::size_t{static_cast<unsigned char>(c)}; };
  return std::uint64_t{1} << ((name.size() * 7 + byte(name.front()) * 3 + byte(name.back())) % 64);
}

struct Envelope {
  std::string profile;      // the sender's, as registered (D5)
  std::string native_type;  // the profile's own word, "task_assignment"
  Kind kind{};

  std::string message_id;  // empty: the sender gave none (lenient), the engine makes one
  bool made_id = false;    // message_id was made, from the Idempotency-Key
  std::string sender;
  std::string sender_role;      // as the message claims it; empty where the profile has no roles
  std::string sender_instance;  // 000 §2.1
  std::vector<std::string> recipients;
  std::string recipient_role;
  std::string recipient_instance;
  bool broadcast = false;  // to every other agent of the workspace
  bool automatic = false;  // to whom the routing picks ("auto")

  Priority priority = Priority::normal;
  DeliveryClass delivery = DeliveryClass::at_least_once;
  std::optional<base::Instant> sent_at;      // the sender's timestamp
  std::optional<base::Instant> expires_at;   // the earliest of those stated (R10)
  std::string_view expiry_at;                // and its place, a text of the ruleset's
  std::optional<std::int64_t> sequence;      // R9
  std::optional<std::uint64_t> max_retries;  // HND-09: after the first attempt

  std::string task;  // what orders it: task, card or conversation (R32); empty: a lane of its own
  std::string correlation;
  std::string reply_to;
  std::string conversation;
  std::vector<Field> fields;
  std::string carried;           // those recorded, as its event has them (carried.hpp)
  std::uint64_t field_bits = 0;  // of their names; 0: not noted, and each is compared

  base::Digest content_hash{};  // SHA-256 of the native bytes
};

const Field* find(const std::vector<Field>& fields, std::string_view name);  // null: none has the name
// Inline, as what follows: the bit of a name that is written where it is asked for costs nothing then.
inline const Field* find(const Envelope& envelope, std::string_view name) {
  const bool noted = envelope.field_bits != 0;
  return noted && (envelope.field_bits & bit_of(name)) == 0 ? nullptr : find(envelope.fields, name);
}
// The value of a canonical field; absent where the message has none.
inline json::Value value(const Envelope& envelope, std::string_view name) {
  const Field* const found = find(envelope, name);
  return found ? found->value : json::Value();
}
// The same as JSON text, empty where it has none; not for lists and objects.
inline std::string_view field(const Envelope& envelope, std::string_view name) {
  const Field* const found = find(envelope, name);
  return found ? std::string_view(found->json) : std::string_view();
}
// Of a JSON string, without its quotes; one with escapes is none that was ever given for an id, a word or a time.
std::string_view unquoted(std::string_view json);

}  // namespace parley::envelope
