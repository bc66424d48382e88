// What a step says, as the bytes that are sent: the story's frame, the step's own members over it, and what stands in
// braces filled in:
//   {id} {id of STEP} {type} {from} {to} {from.type} {to.type}   {number}: how many the sender has sent, as a number
//   {now} {now+30s}: when it is written
#pragma once
#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "cli/scenario/story.hpp"

namespace parley::cli::scenario {

struct Occasion {
  base::Instant now;
  std::uint64_t number = 1;
};

base::Result<std::string> letter(const Story& story, const Step& step, const Occasion& occasion);

// The server's own word: what must be in it. Without times.
base::Result<std::string> pattern(const Story& story, const Step& step);
// Whether all that the pattern has is in the value, objects member by member.
bool is_like(json::Value value, json::Value pattern);

// The decision's body, about what was shown.
std::string decision(const Step& step, std::string_view shown);

}  // namespace parley::cli::scenario
