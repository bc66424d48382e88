// A profile while it is loaded: what has been read, and what was found wrong. Internal to loading; a profile.json comes
// here when its schema has accepted it: shapes are certain, names and pointers are not.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "profile/problems.hpp"
#include "profile/reading.hpp"
#include "profile/schemas.hpp"

namespace parley::profile {

inline constexpr std::string_view description_file = "profile.json";

struct Loading {
  Loading(const Files& files, json::Document description);

  void problem(const std::string& pointer, std::string_view rule, std::string message) {
    problems.add(description_file, pointer, rule, std::move(message));
  }

  void no_such_role(const std::string& pointer, const std::string& role) {
    problem(pointer, "known_role", "The profile has no role '" + role + "'");
  }

  // The program of a schema file, compiled once however many types it serves. `at`: who names it.
  std::size_t program_of(json::Value file, const std::string& at);

  Schemas schemas;
  std::shared_ptr<Reading> reading = std::make_shared<Reading>();
  std::shared_ptr<Ruleset> rules = std::make_shared<Ruleset>();
  json::Value root;  // of profile.json, which `reading` keeps
  Problems problems;
};

void load_policies(Loading& loading);  // all that holds for every type
void load_types(Loading& loading);     // after the policies: types name roles

std::string text_of(json::Value value);               // empty where it is no string
std::vector<std::string> texts_of(json::Value list);  // of an array of strings

// What the schema of profiles has made sure of.
template <class T>
T certain(std::optional<T> value) {
  PARLEY_ASSERT(value.has_value());
  return *value;
}

}  // namespace parley::profile
