#include "ingress/check.hpp"

#include <charconv>

#include "base/assert.hpp"
#include "base/excerpt.hpp"
#include "base/hash.hpp"
#include "base/joined.hpp"
#include "ingress/canonical.hpp"
#include "ingress/compressed.hpp"
#include "ingress/defects.hpp"
#include "ingress/limits.hpp"
#include "ingress/object.hpp"

namespace parley::ingress {
namespace {

using base::ErrorCode;
using base::Result;
using profile::Places;
using profile::Reading;
using profile::Ruleset;
using profile::TypeIndex;
using profile::TypeReading;

std::string excerpt(std::string_view text) {
  return base::excerpt(text, 64);  // D6
}

Result<TypeIndex> type_of(json::Value message, const Ruleset& rules) {
  const Reading& reading = *rules.reading;
  const auto word = reading.type_at.resolve(message).if_string();
  if (word)
    if (const auto index = rules.type_named(*word)) return *index;

  std::vector<std::string> names;
  for (const profile::MessageType& type : rules.types)
    if (type.variant == 0) names.push_back(type.name);
  auto refusal = base::fail(ErrorCode::TYPE_UNKNOWN,
                            word ? "Profile '" + rules.name + "' has no message type '" + excerpt(*word) + "'."
                                 : "The message states no type at " + reading.type_pointer + '.',
                            reading.type_pointer, "Types of '" + rules.name + "': " + base::joined(names) + '.');
  refusal.error().legal_next = std::move(names);
  return refusal;
}

// Another major version is another protocol; minor ones are accepted (PIP-01). A missing one is the schema's business.
Result<> check_version(const Found& found, const TypeReading& type, const Reading& reading) {
  const auto text = found.at(type.envelope.version).if_string();
  if (!text) return {};
  std::uint32_t major = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), major);
  if (failed == std::errc::invalid_argument || (failed == std::errc() && major == reading.version_major)) return {};
  return base::fail(ErrorCode::VERSION_UNSUPPORTED,
                    "The message is of version '" + excerpt(*text) + "'; " + reading.version + " is spoken here.",
                    reading.places[type.places].pointer(type.envelope.version));
}

// D10: the server says who a message is from; the body may only agree.
Result<> check_sender(const Found& found, const TypeReading& type, const Reading& reading, std::string_view sender) {
  const auto text = found.at(type.envelope.sender).if_string();
  if (!text || *text == sender) return {};
  return base::fail(
      ErrorCode::SENDER_MISMATCH,
      "The message says it is from '" + excerpt(*text) + "', the credential is that of '" + std::string(sender) + "'.",
      reading.places[type.places].pointer(type.envelope.sender));
}

bool is_id(json::Value value) {
  return !id_of(value).empty();
}

bool are_ids(json::Value recipients) {
  if (!recipients.is_array()) return is_id(recipients);
  for (const json::Value recipient : recipients.elements())
    if (!is_id(recipient)) return false;
  return recipients.size() > 0;
}

// R5: a message is taken all the same where sender and recipients can be read, and no check forbids it.
bool can_be_overlooked(const Found& found, const TypeReading& type, const Places& places, Defects& defects) {
  const profile::EnvelopeSlots& slots = type.envelope;
  const auto at = [&places](profile::Slot slot) { return slot == profile::no_slot ? "" : places.pointer(slot); };
  if (!is_id(found.at(slots.sender))) add_unrouted(at(slots.sender), defects);
  if (!are_ids(found.at(slots.recipients))) add_unrouted(at(slots.recipients), defects);
  if (defects.blocking.empty()) return true;
  put_blocking_first(defects);
  return false;
}

}  // namespace

Result<Checked> check(const Native& native, const Ruleset& rules, const Options& options) {
  Result<Checked> result;
  if (Result<> done = check(native, rules, options, *result); !done) result = std::unexpected(std::move(done).error());
  return result;
}

Result<> check(const Native& native, const Ruleset& rules, const Options& options, Checked& checked) {
  PARLEY_ASSERT(!options.sender.empty());
  PARLEY_CHECK(check_size(native.bytes, rules));
  PARLEY_CHECK(check_object(native.value));
  PARLEY_TRY(const TypeIndex named, type_of(native.value, rules));

  const Reading& reading = *rules.reading;
  const TypeReading& type = reading.types[named.value];
  const Places& places = reading.places[type.places];
  const Found found(places, native.value);
  PARLEY_CHECK(check_version(found, type, reading));
  PARLEY_CHECK(check_sender(found, type, reading, options.sender));

  checked.type = reading.form_of(named, found.values());
  Defects defects = defects_of(native.value, rules, checked.type);
  const bool lenient = options.validation == Validation::lenient;
  if (defects.errors.empty() || lenient)
    PARLEY_CHECK(check_compressed(native, rules, checked.type, options.inflate_left, defects));
  if (!defects.errors.empty() && !(lenient && can_be_overlooked(found, type, places, defects)))
    return refusal(rules.type(checked.type), std::move(defects));
  checked.warnings = std::move(defects.warnings);
  checked.validation_errors = recorded(std::move(defects));
  PARLEY_CHECK(check_limits(found, type, places));

  canonicalise(found, rules, options, checked);
  if (!options.hashed_by_caller) checked.envelope.content_hash = base::sha256(native.bytes);
  return {};
}

}  // namespace parley::ingress
