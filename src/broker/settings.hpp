// A workspace's settings as its calls read and show them: both ways beside each other, for what one forgets the other
// cannot tell.
#pragma once
#include "engine/workspaces/workspace.hpp"
#include "json/writer.hpp"

namespace parley::broker {

// `before` with what the body, which has passed its schema, says otherwise. Error: BAD_REQUEST for a time out of its
// bounds.
base::Result<engine::Settings> read_settings(json::Value body, engine::Settings before);

// "validation", "profiles" and "settings", into an open object.
void write_settings(json::Writer& writer, const engine::Settings& settings);

}  // namespace parley::broker
