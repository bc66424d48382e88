// One bench run: a workspace and agents of its own, the connections, one loop that drives them all, the counts.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/bench/load.hpp"
#include "sdk/cpp/client.hpp"

namespace parley::cli::bench {

struct Outcome {
  std::string workspace;
  Tally tally;
  Duration elapsed{};    // from the first message's being sent to the last answer that counts
  Duration load_cpu{};   // what the load itself took of it
  bool stalled = false;  // it ended because nothing happened any more

  // What is wrong with it, each with its count; empty: it is complete. Nothing was refused, nothing accepted twice, all
  // was answered; only published, nothing was held back for want of room either; end to end, the very messages that
  // were accepted were delivered once and acked.
  std::vector<std::string> lacks(const Settings& settings) const;
  bool complete(const Settings& settings) const { return lacks(settings).empty(); }
  double per_second(const Settings& settings) const;
};

// `admin` makes the workspace; its token must be the admin's.
base::Result<Outcome> run(sdk::Client& admin, const Settings& settings);

}  // namespace parley::cli::bench
