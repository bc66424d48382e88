// A frame that is no JSON because of some of its messages: each of those is refused alone (MSH-12). Never on the path
// of a frame that is read.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace parley::gateway::websocket {

struct Mended {
  std::string text;                           // the frame, with null in the place of each message that is no JSON
  std::map<std::size_t, base::Error> broken;  // what those are refused with, by their place
};

// None where no message can be told to be the only thing that is wrong: where it begins or ends is not sure, or all of
// them are fine.
std::optional<Mended> mended(std::string_view frame);

}  // namespace parley::gateway::websocket
