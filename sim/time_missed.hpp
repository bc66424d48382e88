// How far what waits on agents moves (D2): while the server was down, or its machine suspended.
#pragma once
#include "base/time.hpp"
#include "event/events.pb.h"

namespace parley::sim {

// 0: no such event.
inline base::Duration time_missed(const event::Event& event) {
  if (event.has_server_started()) return base::Duration(event.server_started().downtime());
  return base::Duration(event.has_time_skipped() ? event.time_skipped().by() : 0);
}

}  // namespace parley::sim
