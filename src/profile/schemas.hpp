// A profile's schema files, compiled with a registry that holds them and nothing else: no network, no other profile.
#pragma once
#include <string>
#include <string_view>

#include "json/value.hpp"
#include "profile/files.hpp"
#include "schema/program.hpp"

namespace parley::profile {

class Schemas {
 public:
  explicit Schemas(const Files& files);  // which must outlive this

  // `path`: "schemas/abort.schema.json". Formats are asserted. Fails as schema::compile does, and where there is no
  // such file or another one cannot be read.
  base::Result<schema::Program> compile(const std::string& path) const;

 private:
  const Files& files_;
  schema::Registry registry_;
  base::Result<> filled_;
};

// What spec/profiles/profile.schema.json finds wrong with a profile.json; empty: nothing.
std::vector<base::Problem> explain_profile(json::Value description);
std::vector<base::Problem> explain_story(json::Value story);  // story.schema.json, with a story.json

}  // namespace parley::profile
