// Tells a story once: sets the stage, lets the parts play, kills the server where it was asked to, and looks how it
// ended.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/scenario/ending.hpp"
#include "cli/scenario/narrator.hpp"
#include "cli/scenario/story.hpp"
#include "cli/terminal.hpp"

namespace parley::cli::scenario {

struct TellSettings {
  base::Duration pace{};
  std::uint32_t kills = 0;
  std::uint64_t seed = 1;          // of the kills
  std::uint64_t first_offset = 1;  // between which the kills fall: what an unkilled telling had
  std::uint64_t last_offset = 1;
  std::string journal = "file";  // or "memory", which a kill loses
  Terminal* terminal = nullptr;  // of who watches; null: nobody does
};

struct Told {
  std::uint64_t first_offset = 0, last_offset = 0;  // of the log: the story's part of it
  std::vector<Kill> kills;
  std::uint64_t answers_lost = 0;  // asked again, and done already: a kill came between the deed and the answer
  std::vector<std::string> said;   // entries of the log, as JSON
  Ending ending;
  std::vector<std::string> wrong;  // what is not as told
};

base::Result<Told> tell(const Story& story, const TellSettings& settings);

}  // namespace parley::cli::scenario
