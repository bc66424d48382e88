#include "ingress/canonical.hpp"

#include <algorithm>
#include <unordered_set>

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

// In the message's order, each once.
void read_list(json::Value list, Envelope& envelope) {
  std::unordered_set<std::string_view> seen;
  for (const json::Value item : list.elements())
    if (const std::string_view id = id_of(item); !id.empty() && seen.insert(id).second)
      envelope.recipients.emplace_back(id);
}

// The words for everybody and for "whom routing picks" count only where they stand alone; in a list they are ids, and
// reserved ones (R31), so the engine refuses them as unknown (R47).
void read_recipients(json::Value value, const profile::Ruleset& rules, Envelope& envelope) {
  if (value.is_array()) return read_list(value, envelope);
  const std::string_view id = id_of(value);
  if (id.empty()) return;
  envelope.broadcast = rules.is_broadcast(id);
  envelope.automatic = rules.is_automatic(id);
  if (!envelope.broadcast && !envelope.automatic) envelope.recipients.emplace_back(id);
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

void read_expiry(const Found& found, const EnvelopeSlots& slots, base::Instant now, Envelope& envelope) {
  for (const profile::ExpirySlot& stated : slots.expiry) {
    const json::Value value = found.at(stated.slot);
    if (!value) continue;
    const auto instant = expiry_of(value, stated.unit, now);
    if (instant && (!envelope.expires_at || *instant < *envelope.expires_at)) envelope.expires_at = instant;
  }
}

void read_timestamp(json::Value value, const std::string& pointer, base::Instant now, Checked& checked) {
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

void read_fields(const Found& found, const std::vector<profile::FieldSlot>& fields, Envelope& envelope) {
  for (const profile::FieldSlot& field : fields) {
    if (!field.carried) continue;
    const json::Value value = found.at(field.slot);
    if (value) envelope.fields.push_back({field.name, json::to_text(value)});
  }
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
  envelope.message_id = id_of(found.at(slots.id));
  if (envelope.message_id.empty()) envelope.message_id = options.idempotency_key;  // R8
  envelope.sender = options.sender;
  envelope.sender_role = id_of(found.at(slots.sender_role));
  envelope.sender_instance = id_of(found.at(slots.sender_instance));
  read_recipients(found.at(slots.recipients), rules, envelope);
  envelope.recipient_role = id_of(found.at(slots.recipient_role));
  envelope.priority = priority_of(found, slots, type, reading);
  envelope.delivery = type.delivery[static_cast<std::size_t>(envelope.priority)];
  if (slots.timestamp != profile::no_slot)
    read_timestamp(found.at(slots.timestamp), reading.places[places.places].pointer(slots.timestamp), options.now,
                   checked);
  read_expiry(found, slots, options.now, envelope);
  envelope.sequence = found.at(slots.sequence).if_int();
  envelope.task = first_id(found, slots.task);
  envelope.correlation = id_of(found.at(slots.correlation));
  envelope.reply_to = id_of(found.at(slots.reply_to));
  envelope.conversation = id_of(found.at(slots.conversation));
  read_fields(found, places.fields, envelope);
  checked.lane = lane_of(envelope.task);
}

}  // namespace parley::ingress
