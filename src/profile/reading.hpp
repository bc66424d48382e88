// How native messages of one profile are read: which schema holds, where the canonical values stand, which limits and
// checks apply. Made by load.hpp, used by ingress and translation, never by the engine. Value type, immutable.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envelope/envelope.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/value.hpp"
#include "profile/check.hpp"
#include "profile/kinds.hpp"
#include "profile/places.hpp"
#include "profile/ruleset.hpp"
#include "schema/program.hpp"

namespace parley::profile {

enum class ExpiryUnit : std::uint8_t { seconds, milliseconds, instant };

struct ExpirySlot {
  Slot slot = no_slot;
  ExpiryUnit unit{};
};

// Where the envelope's parts stand; no_slot: this profile has none.
struct EnvelopeSlots {
  Slot id = no_slot, timestamp = no_slot, sender = no_slot, sender_role = no_slot, sender_instance = no_slot;
  Slot recipients = no_slot, recipient_role = no_slot, recipient_instance = no_slot;
  Slot sequence = no_slot, max_retries = no_slot;
  Slot correlation = no_slot, reply_to = no_slot, conversation = no_slot;
  Slot version = no_slot;
  std::vector<Slot> priority;  // the first that is there counts
  std::vector<Slot> task;      // likewise
  std::vector<ExpirySlot> expiry;
};

struct FieldSlot {
  std::string name;  // canonical
  Slot slot = no_slot;
  FieldType type{};
  Carried carried{};
};

enum class LimitUnit : std::uint8_t { bytes, code_points, items };

struct LimitRule {
  std::string name;  // "RATIONALE_LENGTH"
  Slot slot = no_slot;
  LimitUnit unit{};
  std::size_t max = 0;
};

// A condition on one place: what makes a message of a type one of its variants.
struct Condition {
  enum class Test : std::uint8_t { present, absent, among };

  Slot slot = no_slot;
  Test test = Test::present;
  std::vector<json::Value> values;  // of the profile's own document, which Reading keeps

  bool holds(json::Value found) const;
};

// One type, or one variant of it: the counterpart of the MessageType of the same index.
struct TypeReading {
  std::size_t program = 0;  // in Reading::programs
  std::size_t places = 0;   // in Reading::places; a variant shares its type's
  EnvelopeSlots envelope;   // of the type; a variant may have other places for task and priority
  std::vector<FieldSlot> fields;
  std::vector<std::pair<Condition, TypeIndex>> variants;  // of the type itself only, in order
  std::vector<LimitRule> limits;
  std::vector<BoundCheck> checks;
};

struct Reading {
  json::Document description;  // profile.json
  json::Pointer type_at;
  std::string type_pointer;
  std::optional<json::Pointer> compressed_at;  // R27
  std::string version;                         // what the profile speaks, "1.0.0"; empty: it states none
  std::uint32_t version_major = 0;
  std::vector<std::pair<std::string, envelope::Priority>> priority_words;  // R1: read
  std::array<std::string, envelope::priority_count> priority_written;      // and written back
  envelope::Priority priority_default = envelope::Priority::normal;
  std::vector<schema::Program> programs;
  std::vector<std::string> schema_files;  // of each program, "schemas/abort.schema.json"
  std::vector<Places> places;
  std::vector<TypeReading> types;                            // by TypeIndex
  std::vector<std::pair<std::string, std::size_t>> records;  // R6: name, program

  std::optional<envelope::Priority> priority_of(std::string_view word) const;

  // Where in a message of that type what has this canonical name stands (an envelope's part or a field, "recipients",
  // "scope"), as a JSON Pointer: of several places the first that the message has. Empty: the type has none for it.
  std::string_view pointer_to(TypeIndex type, std::string_view name, json::Value message) const;

  // The first variant whose condition holds, or the type itself; `found` is by slot.
  TypeIndex form_of(TypeIndex type, std::span<const json::Value> found) const;
};

}  // namespace parley::profile
