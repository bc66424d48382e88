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

// What the binary carries of spec/profiles/.
std::vector<std::string> built_in_names();
Files built_in_files(std::string_view name);  // empty where there is none of this name

// For `parley schema lint FOLDER`: every *.json below it. NOT_FOUND where the folder or a file cannot be read,
// PAYLOAD_TOO_LARGE beyond 16 MiB or 2,000 files.
base::Result<Files> read_folder(const std::string& folder);

}  // namespace parley::profile
