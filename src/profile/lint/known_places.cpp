// A pointer that no schema knows would never find anything. A field, and the four places that routing needs, must be
// known to each type's own schema; what else the envelope reads, to that of one type at least.
#include <algorithm>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {
namespace {

std::vector<Slot> envelope_slots(const EnvelopeSlots& e) {
  std::vector<Slot> slots{e.id,           e.timestamp,      e.sender,   e.sender_role, e.sender_instance,
                          e.recipients,   e.recipient_role, e.sequence, e.correlation, e.reply_to,
                          e.conversation, e.version};
  slots.insert(slots.end(), {e.recipient_instance, e.max_retries});
  slots.insert(slots.end(), e.priority.begin(), e.priority.end());
  slots.insert(slots.end(), e.task.begin(), e.task.end());
  for (const ExpirySlot& expiry : e.expiry) slots.push_back(expiry.slot);
  std::erase(slots, no_slot);
  return slots;
}

bool some_type_knows(const Subject& subject, const std::string& pointer) {
  for (std::size_t i = 0; i < subject.rules.types.size(); ++i)
    if (!subject.texts.at(subject.schema_file(i), pointer).empty()) return true;
  return false;
}

}  // namespace

void known_places(const Subject& subject, Problems& problems) {
  std::vector<std::string> reported;
  for (std::size_t i = 0; i < subject.rules.types.size(); ++i) {
    for (const FieldSlot& field : subject.type(i).fields) {
      const std::string& pointer = subject.pointer(i, field.slot);
      if (subject.texts.at(subject.schema_file(i), pointer).empty())
        problems.add("profile.json", subject.place_of(i) + "/fields/" + field.name, "known_places",
                     subject.schema_file(i) + " knows no " + pointer);
    }
    const std::string& kept = subject.rules.types[i].keeps;
    if (!kept.empty() && subject.texts.at(subject.schema_file(i), kept).empty())
      problems.add("profile.json", subject.place_of(i) + "/keeps", "known_places",
                   subject.schema_file(i) + " knows no " + kept);
    const EnvelopeSlots& envelope = subject.type(i).envelope;
    for (const Slot slot : {envelope.id, envelope.timestamp, envelope.sender, envelope.recipients})
      if (subject.texts.at(subject.schema_file(i), subject.pointer(i, slot)).empty())
        problems.add("profile.json", subject.place_of(i), "known_places",
                     subject.schema_file(i) + " knows no " + subject.pointer(i, slot));
    for (const Slot slot : envelope_slots(envelope)) {
      const std::string& pointer = subject.pointer(i, slot);
      if (some_type_knows(subject, pointer) || std::find(reported.begin(), reported.end(), pointer) != reported.end())
        continue;
      reported.push_back(pointer);
      problems.add("profile.json", "/envelope", "known_places", "No type's schema knows " + pointer);
    }
  }
}

}  // namespace parley::profile::lint_rules
