// A word of priority that the schemas allow and /priorities/read does not know would silently count as the default.
#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {

void priority_words(const Subject& subject, Problems& problems) {
  for (std::size_t i = 0; i < subject.rules.types.size(); ++i)
    for (const Slot slot : subject.type(i).envelope.priority)
      for (const json::Value schema : subject.texts.at(subject.schema_file(i), subject.pointer(i, slot)))
        for (const json::Value word : schema.find("enum").elements())
          if (word.is_string() && !subject.reading().priority_of(word.as_string()))
            problems.add("profile.json", "/priorities/read", "priority_words",
                         subject.schema_file(i) + " allows '" + std::string(word.as_string()) + "' at " +
                             subject.pointer(i, slot));
}

}  // namespace parley::profile::lint_rules
