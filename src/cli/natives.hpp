// The messages that a file holds: one, an array of them, or one a line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace parley::cli {

bool is_ndjson(const std::string& file);  // by its name

struct Natives {
  std::vector<std::string> messages;  // their bytes, unchanged
  bool many = false;                  // an array or lines, also of one
};

// What is no array, and nothing that can be cut like one, is one message: whoever reads it says what is wrong with it.
Natives natives_in(const std::string& text, bool ndjson);

// Of a file that holds none: nothing done is not what was asked for.
std::unexpected<base::Error> no_message(const std::string& file);

}  // namespace parley::cli
