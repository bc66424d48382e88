// Tells who watches what happens, as it happens: the workspace's log in its order, what parts were refused, kills.
//     4  architect-main → developer-01   task_assignment   Settings from a TOML file
//        developer-01 is refused SCOPE_VIOLATION: …
#pragma once
#include <cstdint>
#include <string>

#include "cli/scenario/stage.hpp"
#include "cli/terminal.hpp"
#include "json/value.hpp"

namespace parley::cli::scenario {

struct Kill {
  std::uint64_t offset = 0;  // the newest entry of the log that was seen then
  base::Duration away{};
};

// Value type. Without a terminal it says nothing.
class Narrator {
 public:
  Narrator(const Story& story, Terminal* terminal) : story_(story), terminal_(terminal) {}

  void title();
  void entry(json::Value log_entry);
  void part(const PartLine& line);
  void kill(const Kill& kill);

 private:
  void message(json::Value entry);
  void beside(std::string who, std::string what, std::string_view text);  // what is in no log
  const Step* step_of(json::Value entry) const;
  std::string in(std::string_view text, Colour colour) const;

  const Story& story_;
  Terminal* terminal_;
};

}  // namespace parley::cli::scenario
