// A profile under test: its folder, its rules, and the registry of its examples.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ingress/check.hpp"
#include "json/parser.hpp"
#include "profile/files.hpp"
#include "profile/ruleset.hpp"

namespace parley::conformance {

struct ProfileCase {
  std::string name;
  profile::Files files;
  profile::RulesetPtr rules;
  std::map<std::string, std::string, std::less<>> roles;  // of examples/agents.json: by agent, person, server

  std::vector<std::string> files_in(std::string_view folder) const;  // directly in it, sorted; not agents.json
};

// The five built-in profiles and the sixth beside this test.
const std::vector<ProfileCase>& profile_cases();
std::vector<std::string> case_names();
const ProfileCase& case_named(const std::string& name);

// Ingress, and what the engine adds about roles: who may send this to whom.
struct Judged : ingress::Checked {
  json::Document document;  // which the envelope's values are of
};
base::Result<Judged> judge(const ProfileCase& subject, std::string_view bytes, std::string_view sender,
                           ingress::Validation validation = ingress::Validation::strict);

// The sender that the message states: examples are sent by whom they say.
std::string stated_sender(const ProfileCase& subject, json::Value message);

}  // namespace parley::conformance
