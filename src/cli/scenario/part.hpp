// One part of a story, played in a process of its own: an agent says its steps in the story's order and waits where it
// must have heard something first; a person decides. What others do it learns from the server alone.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/scenario/line.hpp"
#include "cli/scenario/story.hpp"

namespace parley::cli::scenario {

struct PartSettings {
  std::string workspace;
  std::string actor;
  base::Duration pace{};  // before each step of its own
};

// What it tells whoever watches; no part of what agents say to each other.
struct PartEvents {
  std::function<void(const Step& step)> begins;                             // to say it, or to wait for it
  std::function<void(const Step& step, const base::Error& error)> refused;  // as it was to be
  std::function<void(const Step& step)> answer_lost;                        // it was done before the server died
  std::function<void()> done;                                               // its steps are over
};

// Plays it, and then goes on hearing what comes until the process is ended; so it returns only with what went otherwise
// than told.
base::Error play(const Story& story, const PartSettings& settings, const Calls& calls, const PartEvents& events);

}  // namespace parley::cli::scenario
