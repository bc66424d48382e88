// What names agents, messages and tasks is kept by the engine, so the schemas bound it: at most 256 characters, or a
// closed set, a UUID, or a pattern of bounded length.
#include <algorithm>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {
namespace {

constexpr std::uint64_t id_length_max = 256;

// From end to end, and nothing in it repeats without a limit.
bool is_bounded_pattern(std::string_view pattern) {
  return pattern.starts_with('^') && pattern.ends_with('$') && pattern.find_first_of("*+") == std::string_view::npos &&
         pattern.find(",}") == std::string_view::npos;
}

bool bounds(json::Value schema) {
  if (const auto pattern = schema.find("pattern").if_string(); pattern && is_bounded_pattern(*pattern)) return true;
  return schema.find("enum") || schema.find("const") || schema.find("format").if_string() == "uuid" ||
         schema.find("maxLength").if_uint().value_or(UINT64_MAX) <= id_length_max;
}

bool is_bounded(const std::vector<json::Value>& schemas) {
  return std::any_of(schemas.begin(), schemas.end(), bounds);
}

std::vector<Slot> id_slots(const EnvelopeSlots& e) {
  std::vector<Slot> slots{e.id,         e.sender,         e.sender_role,        e.sender_instance,
                          e.recipients, e.recipient_role, e.recipient_instance, e.correlation,
                          e.reply_to,   e.conversation};
  slots.insert(slots.end(), e.task.begin(), e.task.end());
  std::erase(slots, no_slot);
  return slots;
}

}  // namespace

void bounded_ids(const Subject& subject, Problems& problems) {
  for (std::size_t i = 0; i < subject.rules.types.size(); ++i) {
    const std::string& file = subject.schema_file(i);
    for (const Slot slot : id_slots(subject.type(i).envelope)) {
      const std::string& pointer = subject.pointer(i, slot);
      const auto schemas = subject.texts.at(file, pointer), elements = subject.texts.elements_at(file, pointer);
      if ((!schemas.empty() && !is_bounded(schemas)) || (!elements.empty() && !is_bounded(elements)))
        problems.add("profile.json", subject.place_of(i), "bounded_ids",
                     file + " sets no maxLength of at most 256 at " + pointer);
    }
  }
}

}  // namespace parley::profile::lint_rules
