// Proof that each keyword of each schema of a profile does its work: for every occurrence an example is changed so that
// this keyword, at this place, must refuse it; and for every member of every enum so that it must not. Works on the
// schemas' texts, apart from the compiler that it tests.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "profile/files.hpp"
#include "schema/program.hpp"

namespace parley::conformance {

struct Mutant {
  std::string keyword;   // "common.schema.json#/$defs/Percent/maximum"; of `required`, one per name: ".../required/0"
  std::string instance;  // where it is refused
  std::string schema;    // by what, as Program::explain names it: "/properties/progress/$ref/maximum"
  std::string text;      // the changed example
  std::string example;   // the file it was made of
};

class Mutants {
 public:
  explicit Mutants(const profile::Files& files);

  // Every keyword that can refuse something. Not those below `if`, `not`, which only choose.
  std::set<std::string> keywords() const;
  // Those of which this file does not know whether and how they refuse: none, or what is counted is not all there is.
  std::set<std::string> not_understood() const;

  // Adds mutants for the keywords that apply to the example and have none yet. `schema_path`: "schemas/x.schema.json".
  void make(const std::string& schema_path, const schema::Program& program, const std::string& example_path,
            json::Value example);

  const std::map<std::string, Mutant>& made() const { return made_; }  // by keyword

  // Members of enums that an example reached, and whether it, or another, is accepted with that member in its place:
  // "common.schema.json#/$defs/Scope/enum \"agent\"".
  const std::map<std::string, bool>& members() const { return members_; }

  // The keyword that an evaluated path ends at, as in Mutant::keyword but for the name of `required`.
  std::string keyword_at(const std::string& schema_path, std::string_view evaluated) const;

 private:
  struct Place;
  class Walk;

  std::optional<Place> target_of(const std::string& file, std::string_view reference) const;
  void walk(const std::function<void(const Place&, std::string_view, json::Value)>& see) const;  // every keyword
  bool holds_at(const Place& place, json::Value value) const;  // whether its `if` does

  std::map<std::string, json::Document> documents_;  // by file name, "common.schema.json"
  schema::Registry registry_;
  std::map<std::string, Mutant> made_;
  std::map<std::string, bool> members_;
};

}  // namespace parley::conformance
