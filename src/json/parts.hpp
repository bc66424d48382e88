// The parts of a text that is several: lines; or, where the parser has refused the whole, what its brackets, commas and
// strings alone tell apart, so that what is right in a batch is told from what is wrong.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace parley::json {

// The elements of an array, or the members of an object, without the whitespace around them; each may be anything.
// None where the text is neither, where its brackets do not match, where nothing stands between two commas, or where
// there are more than `most`.
std::optional<std::vector<std::string_view>> parts_of(std::string_view text, std::size_t most);

// Whether a part is one for sure: an object, right or wrong, or a right value that holds none. What may have swallowed
// its neighbours has no end that one could be sure of.
bool is_one_part(std::string_view part);

// The lines of NDJSON, but for blank ones.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace parley::json
