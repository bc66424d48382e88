// Two who work on the same files at once: told to whoever assigns it, and forbidden to nobody.
#pragma once
#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

#include "engine/state.hpp"

namespace parley::engine {

// What a scope has in common with those of tasks that are worked on, or soon will be; `on`: what the task depends on,
// and with them it is not at once. Empty: nothing. Bounded: of very many tasks or globs some are not looked at (D11).
using Globs = google::protobuf::RepeatedPtrField<std::string>;
std::string overlaps(const Workspace& workspace, std::string_view task, const Globs& scope,
                     const std::vector<Dependency>& on);

}  // namespace parley::engine
