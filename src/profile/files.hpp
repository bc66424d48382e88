// A profile's folder in memory, wherever it came from: path below the folder → bytes. Value type.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::profile {

using Files = std::map<std::string, std::string, std::less<>>;  // "schemas/abort.schema.json" → its text
constexpr std::string_view schemas_folder = "schemas/";
constexpr std::string_view schema_ending = ".schema.json";

inline bool is_schema(std::string_view path) {
  return path.starts_with(schemas_folder) && path.ends_with(schema_ending);
}

// What the binary carries of spec/profiles/.
std::vector<std::string> built_in_names();
Files built_in_files(std::string_view name);  // empty where there is none of this name

// For `parley schema lint FOLDER`: every file below it but those whose names begin with a dot. NOT_FOUND where the
// folder cannot be read, PROFILE_INVALID with each thing in it that cannot, PAYLOAD_TOO_LARGE beyond 16 MiB or 2,000
// files.
base::Result<Files> read_folder(const std::string& folder);

}  // namespace parley::profile
