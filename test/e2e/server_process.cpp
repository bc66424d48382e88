#include "server_process.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace parley::e2e {
namespace {

template <class T>
T usable(base::Result<T> made) {
  if (!made) throw Unusable(made.error().message + " (" + made.error().where + ")");
  return std::move(*made);
}

}  // namespace

const std::string server_program = [] {
  const char* const named = std::getenv("PARLEY_PROGRAM");
  return std::string(named ? named : PARLEY_PROGRAM);
}();

TempFolder::TempFolder(const std::string& name) : folder_(usable(base::TempFolder::make(name))) {}

End run(const std::vector<std::string>& command, const std::string& log, Milliseconds at_most) {
  base::Process process = usable(base::Process::start(command, log));
  const auto end = process.wait(at_most);
  if (!end) throw Unusable(command[0] + " does not end");
  return *end;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string read_line(const std::string& path) {
  const std::string text = read_file(path);
  return text.substr(0, text.find('\n'));
}

}  // namespace parley::e2e
