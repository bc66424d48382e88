#include "ingress/canonical.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/uuid.hpp"
#include "envelope/carried.hpp"
#include "envelope/lane.hpp"
#include "ingress/expiry.hpp"
#include "json/writer.hpp"

namespace parley::ingress {
namespace {

using envelope::Envelope;
using profile::EnvelopeSlots;

constexpr base::Duration skew_tolerated = std::chrono::hours(24);  // R10

std::string_view first_id(const Found& found, const std::vector<profile::Slot>& slots) {
  for (const profile::Slot slot : slots)
    if (const std::string_view id = id_of(found.at(slot)); !id.empty()) return id;
  return {};
}

// Strings of a vector keep their memory when the next message has as many.
void set_at(std::vector<std::string>& texts, std::size_t index, std::string_view text) {
  if (index == texts.size()) texts.emplace_back();
  texts[index] = text;
}

// In the message's order, each once.
std::size_t read_list(json::Value list, std::vector<std::string>& recipients) {
  std::unordered_set<std::string_view> seen;
  std::size_t count = 0;
  for (const json::Value item : list.elements())
    if (const std::string_view id = id_of(item); !id.empty() && seen.insert(id).second) set_at(recipients, count++, id);
  return count;
}

// The words for everybody and for "whom routing picks" count only where they stand alone; in a list they are ids, and
// reserved ones (R31), so the engine refuses them as unknown (R47).
void read_recipients(json::Value value, const profile::Ruleset& rules, Envelope& envelope) {
  const std::string_view id = id_of(value);
  envelope.broadcast = rules.is_broadcast(id);
  envelope.automatic = rules.is_automatic(id);
  std::size_t count = 0;
  if (value.is_array()) {
    count = read_list(value, envelope.recipients);
  } else if (!id.empty() && !envelope.broadcast && !envelope.automatic) {
    set_at(envelope.recipients, count++, id);
  }
  envelope.recipients.resize(count);
}

// R1, R19: what the message says, raised to its type's floor, unless the type's level is fixed.
envelope::Priority priority_of(const Found& found, const EnvelopeSlots& slots, const profile::MessageType& type,
                               const profile::Reading& reading) {
  if (type.always) return *type.always;
  envelope::Priority priority = reading.priority_default;
  for (const profile::Slot slot : slots.priority) {
    const auto word = found.at(slot).if_string();
    if (!word) continue;
    priority = reading.priority_of(*word).value_or(priority);
    break;
  }
  return type.floor ? std::max(priority, *type.floor) : priority;
}

void read_expiry(const Found& found, const EnvelopeSlots& slots, const profile::Places& places, base::Instant now,
                 Envelope& envelope) {
  envelope.expires_at.reset();
  envelope.expiry_at = {};
  for (const profile::ExpirySlot& stated : slots.expiry) {
    const json::Value value = found.at(stated.slot);
    if (!value) continue;
    const auto instant = expiry_of(value, stated.unit, now);
    if (!instant || (envelope.expires_at && *instant >= *envelope.expires_at)) continue;
    envelope.expires_at = instant;
    envelope.expiry_at = places.pointer(stated.slot);
  }
}

void read_timestamp(json::Value value, const std::string& pointer, base::Instant now, Checked& checked) {
  checked.envelope.sent_at.reset();
  const auto text = value.if_string();
  if (!text) return;
  const auto instant = base::parse_rfc3339(*text);
  if (!instant) return;
  checked.envelope.sent_at = *instant;
  if (*instant > now + skew_tolerated || *instant < now - skew_tolerated)
    checked.warnings.push_back(
        {pointer, "CLOCK_SKEW",
         "The timestamp is more than 24 h off the server's clock, which says " + base::to_rfc3339(now) + "."});
}

// R5: what is no number, or neither true nor false, where one of them is wanted is kept as null: whoever decides is to
// know that something was said (SUP-04).
bool is_kept(profile::FieldType type) {
  return type == profile::FieldType::boolean || type == profile::FieldType::number;
}

void read_fields(const Found& found, const std::vector<profile::FieldSlot>& fields, Envelope& envelope) {
  std::size_t count = 0;
  envelope.field_bits = 0;
  envelope.carried.clear();
  for (const profile::FieldSlot& field : fields) {
    const json::Value value = field.carried == profile::Carried::no ? json::Value() : found.at(field.slot);
    const bool right = profile::is_of(field.type, value);
    if (!value || (!right && !is_kept(field.type))) continue;
    if (right && value.is_string() && value.as_string().size() > carried_bytes_max) continue;
    if (count == envelope.fields.size()) envelope.fields.emplace_back();
    envelope::Field& kept = envelope.fields[count++];
    kept.name = field.name;
    envelope.field_bits |= envelope::bit_of(field.name);
    kept.value = value;
    kept.recorded = field.carried == profile::Carried::yes;
    kept.json.clear();
    const bool is_large = field.type == profile::FieldType::list || field.type == profile::FieldType::object;
    if (!right)
      kept.json = "null";
    else if (kept.recorded || !is_large)
      json::Writer(kept.json).value(value);
    const std::size_t most = value.is_array() ? carried_list_bytes_max : carried_bytes_max;
    if (kept.recorded && !value.is_string() && kept.json.size() > most)
      --count;
    else if (kept.recorded)
      envelope::add_carried(envelope.carried, kept.name, kept.json);
  }
  envelope.fields.resize(count);
}

// R8: the key is its sender's own; the same key of another agent is another message.
std::string id_from_key(const Options& options) {
  return base::uuid_of(std::string(options.sender) + '\0' + std::string(options.idempotency_key));
}

// R5: one that is missing is a defect of the schema's; one that cannot be used is said to have been replaced.
void read_id(json::Value value, const std::string& pointer, const Options& options, Checked& checked) {
  Envelope& envelope = checked.envelope;
  const bool has_key = !options.idempotency_key.empty();
  envelope.message_id = id_of(value);
  envelope.made_id = envelope.message_id.empty() && has_key;
  if (!envelope.message_id.empty()) return;
  if (has_key) envelope.message_id = id_from_key(options);
  if (value)
    checked.warnings.push_back(
        {pointer, "MADE_ID",
         std::string("This can be no id: the server made one") +
             (has_key ? " of the Idempotency-Key." : ", and the same message again is another.")});
}

}  // namespace

std::string_view id_of(json::Value value) {
  const auto text = value.if_string();
  return text && text->size() <= id_bytes_max ? *text : std::string_view();
}

void canonicalise(const Found& found, const profile::Ruleset& rules, const Options& options, Checked& checked) {
  const profile::Reading& reading = *rules.reading;
  const profile::MessageType& type = rules.type(checked.type);
  const profile::TypeReading& places = reading.types[checked.type.value];
  const EnvelopeSlots& slots = places.envelope;

  Envelope& envelope = checked.envelope;
  envelope.profile = rules.name;
  envelope.native_type = type.name;
  envelope.kind = type.kind;
  read_id(found.at(slots.id), reading.places[places.places].pointer(slots.id), options, checked);
  envelope.sender = options.sender;
  envelope.sender_role = id_of(found.at(slots.sender_role));
  envelope.sender_instance = id_of(found.at(slots.sender_instance));
  read_recipients(found.at(slots.recipients), rules, envelope);
  envelope.recipient_role = id_of(found.at(slots.recipient_role));
  envelope.recipient_instance = id_of(found.at(slots.recipient_instance));
  envelope.priority = priority_of(found, slots, type, reading);
  envelope.delivery = type.delivery[static_cast<std::size_t>(envelope.priority)];
  read_timestamp(found.at(slots.timestamp), reading.places[places.places].pointer(slots.timestamp), options.now,
                 checked);
  read_expiry(found, slots, reading.places[places.places], options.now, envelope);
  envelope.sequence = found.at(slots.sequence).if_int();
  envelope.max_retries = found.at(slots.max_retries).if_uint();
  envelope.task = first_id(found, slots.task);
  envelope.correlation = id_of(found.at(slots.correlation));
  envelope.reply_to = id_of(found.at(slots.reply_to));
  envelope.conversation = id_of(found.at(slots.conversation));
  read_fields(found, places.fields, envelope);
  checked.task_key = envelope::task_key_of(envelope.task);
  checked.lane = envelope::lane_of(checked.task_key);
}

}  // namespace parley::ingress
