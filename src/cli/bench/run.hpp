// One bench run: a workspace and agents of its own, the connections, one loop that drives them all, the counts.
#pragma once
#include <string>

#include "base/result.hpp"
#include "cli/bench/load.hpp"
#include "sdk/cpp/client.hpp"

namespace parley::cli::bench {

struct Outcome {
  std::string workspace;
  Tally tally;
  Duration elapsed{};   // from the first message's being sent to the last answer that counts
  Duration load_cpu{};  // what the load itself took of it

  // Nothing was refused but for want of room, nothing accepted twice; end to end: the very messages that were accepted
  // were delivered once and acked.
  bool complete(const Settings& settings) const;
  double per_second(const Settings& settings) const;
};

// `admin` makes the workspace; its token must be the admin's.
base::Result<Outcome> run(sdk::Client& admin, const Settings& settings);

}  // namespace parley::cli::bench
