// The lint's rules, each in the file of its name. A rule appends one problem per defect.
#pragma once
#include "profile/problems.hpp"
#include "profile/reading.hpp"
#include "profile/schema_texts.hpp"

namespace parley::profile::lint_rules {

// The loaded profile and the texts it came from.
struct Subject {
  const Files& files;
  const Ruleset& rules;
  const SchemaTexts& texts;

  const Reading& reading() const { return *rules.reading; }
  const TypeReading& type(std::size_t index) const { return reading().types[index]; }
  const std::string& pointer(std::size_t type_index, Slot slot) const {
    return reading().places[type(type_index).places].pointer(slot);
  }
  const std::string& schema_file(std::size_t type_index) const {
    return reading().schema_files[type(type_index).program];
  }

  // Where profile.json describes it: "/types/3" or "/types/3/variants/0".
  std::string place_of(std::size_t type_index) const;
};

void bounded_ids(const Subject& subject, Problems& problems);      // ids and names have a largest length
void examples(const Subject& subject, Problems& problems);         // each type, variant and record has a valid one
void known_files(const Subject& subject, Problems& problems);      // the format knows every file
void known_places(const Subject& subject, Problems& problems);     // the schemas know every pointer
void priority_words(const Subject& subject, Problems& problems);   // every word the schemas allow is read
void required_fields(const Subject& subject, Problems& problems);  // every type maps what its kind requires
void said_messages(const Subject& subject, Problems& problems);    // what the server says is of the profile
void schema_files(const Subject& subject, Problems& problems);     // $id, title, description; none unused
void stated_forms(const Subject& subject, Problems& problems);     // refusals/, warnings/, story.json have their form

}  // namespace parley::profile::lint_rules
