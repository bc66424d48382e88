// How lines begin that are no result, whatever a script expects: what it asks for cannot be done, or what must always
// hold does not. The runner fails on them, and --rewrite leaves them out.
#pragma once
#include <string>

namespace parley::scenarios {

inline const std::string script_error = "SCRIPT: ";
inline const std::string server_error = "WRONG: ";

inline bool is_no_result(const std::string& text) {
  return text.contains(script_error) || text.contains(server_error);
}

}  // namespace parley::scenarios
