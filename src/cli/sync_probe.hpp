// How long the disk takes to make 4 KB last: what every acknowledgement waits for.
#pragma once
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace parley::cli {

struct SyncLatency {
  base::Duration median{};
  base::Duration worst{};
};

// Writes into ready space of a file of its own in `folder`, which has no name there any more, syncing each time.
base::Result<SyncLatency> probe_sync(const std::string& folder, int syncs);

}  // namespace parley::cli
