// Numbers that name things inside one server. None of them leaves it, but for offsets and what is made from them.
#pragma once
#include <cstdint>

#include "base/strong.hpp"

namespace parley::base {

using WorkspaceNumber = Strong<struct WorkspaceTag, std::uint32_t>;  // from 1; 0 is the server itself
using AgentNumber = Strong<struct AgentTag, std::uint32_t>;          // within a workspace, from 1, never used again
using PersonNumber = Strong<struct PersonTag, std::uint32_t>;
using Offset = Strong<struct OffsetTag, std::uint64_t>;      // a workspace's own running number of events, from 1
using Position = Strong<struct PositionTag, std::uint64_t>;  // place of a record in a shard's journal, from 1
using SessionId = Strong<struct SessionTag, std::uint64_t>;  // one connection, or one HTTP take
using LaneId = Strong<struct LaneTag, std::uint64_t>;        // R32; 0: a lane of its own

}  // namespace parley::base
