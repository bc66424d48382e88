// Files of the source tree, by their path in it; ctest says where it lies (PARLEY_SOURCE).
#pragma once
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace parley::scenarios {

inline std::string source_folder() {
  const char* folder = std::getenv("PARLEY_SOURCE");
  return folder ? folder : ".";
}

inline std::string read_source(const std::string& path) {
  std::ifstream file(source_folder() + '/' + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace parley::scenarios
