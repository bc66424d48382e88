// What is handed back when something cannot be done: for agents and people alike, so that the next move is clear.
// Value type. Never carries private payloads; `found` texts are cut by whoever makes them (D6).
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/error_code.hpp"

namespace parley::base {

// One defect of a document: where in the instance, which rule of the schema, what was expected and found.
struct Problem {
  std::string instance;  // JSON Pointer into the message
  std::string schema;    // JSON Pointer into the schema, or the name of a check
  std::string message;
};

struct Error {
  ErrorCode code = ErrorCode::INTERNAL;
  std::string message;                  // what is so, with the value
  std::string hint;                     // what to do next; empty: the catalogue's
  std::string where;                    // JSON Pointer, path, file or call
  std::vector<std::string> legal_next;  // moves that are open to this agent now
  std::vector<Problem> details;
  std::chrono::microseconds retry_after{};  // 0: not known

  std::string_view hint_text() const { return hint.empty() ? info(code).hint : std::string_view(hint); }
};

}  // namespace parley::base
