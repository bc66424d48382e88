// Who takes part in a run: the workspace, the agents with their tokens.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/bench/load.hpp"
#include "sdk/cpp/client.hpp"

namespace parley::cli::bench {

struct Participant {
  std::string agent_id;
  sdk::Access access;
};

struct Cast {
  std::string workspace;
  std::vector<Participant> producers;
  std::vector<Participant> recipients;
};

base::Result<Cast> set_up(sdk::Client& admin, const Settings& settings);

}  // namespace parley::cli::bench
