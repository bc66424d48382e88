// The JSON examples printed in the five documents, as texts that a parser takes. The documents print notation too (R6):
// `"high|medium|low"`, `"a" | "b"`, `unique_uuid`, `{timestamp}`, comments, `...`. Each is filled in; where the
// notation offers alternatives, one text is made per alternative, the others standing at their first.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parley::seeds {

struct Block {
  std::size_t line = 0;  // of the opening fence, from 1
  std::string heading;   // nearest heading or bold line above it
  std::string text;      // as printed
};

std::vector<Block> json_blocks(std::string_view document);

// Without comments, what is left out or stands for something else filled in: at least one text.
std::vector<std::string> filled_in(std::string_view printed);

}  // namespace parley::seeds
