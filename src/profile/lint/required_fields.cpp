// Mechanisms rely on the fields that a kind requires (spec/envelope/kinds.json). Nothing is taken out of private types.
#include <algorithm>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {

void required_fields(const Subject& subject, Problems& problems) {
  for (std::size_t i = 0; i < subject.rules.types.size(); ++i) {
    const MessageType& type = subject.rules.types[i];
    if (type.is_private) continue;
    const std::vector<FieldSlot>& mapped = subject.type(i).fields;
    for (const CanonicalField& field : fields_of(type.kind)) {
      const auto same = [&](const FieldSlot& slot) { return slot.name == field.name; };
      if (field.required && std::none_of(mapped.begin(), mapped.end(), same))
        problems.add("profile.json", subject.place_of(i) + "/fields", "required_fields",
                     "Kind '" + std::string(name(type.kind)) + "' requires the field '" + field.name + "'");
    }
  }
}

}  // namespace parley::profile::lint_rules
