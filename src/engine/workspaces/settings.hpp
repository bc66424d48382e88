// A workspace's settings as they are journaled.
#pragma once
#include "engine/workspaces/workspace.hpp"
#include "event/events.pb.h"

namespace parley::engine {

void write(const Settings& settings, event::Settings& out);
Settings read(const event::Settings& in);

}  // namespace parley::engine
