// How the tasks stand that another depends on (000 §3.4, COL-10).
#pragma once
#include <string>
#include <vector>

#include "engine/state.hpp"
#include "json/writer.hpp"

namespace parley::broker {

// As a member of an open object: all that it depends on.
void write_dependencies(json::Writer& writer, const engine::Workspace& workspace, std::string_view task_id);
// Of the task that this message assigned: those of its soft dependencies that are not completed.
std::vector<std::string> pending_results(const engine::Workspace& workspace, base::Offset assignment);

}  // namespace parley::broker
