// The parts of a target, decoded one at a time, each refused where its encoding is broken.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace parley::net::http {

// One path segment or query value. Refuses broken escapes, and what is no UTF-8, as no id is. It may hold control
// characters, U+0000 too, as ids may: it never names a file (H1).
base::Result<std::string> percent_decoded(std::string_view text);

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

// name=value&…, both decoded, '+' a space. A name that comes twice is refused: which of them counts is a guess.
base::Result<QueryParameters> parse_query(std::string_view query);

}  // namespace parley::net::http
