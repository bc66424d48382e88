// Messages of a batch into the processor's cache, ahead of their turns: what a decision reads of them was written by a
// worker, and their ids are looked for in tables that are larger than any cache.
#pragma once
#include "broker/batch.hpp"
#include "engine/workspaces/workspace.hpp"

namespace parley::broker {

// While the message at `index` is decided: of those behind it each some steps further.
void fetch_ahead(const Batch::State& batch, std::size_t index, const engine::Workspace& workspace);

}  // namespace parley::broker
