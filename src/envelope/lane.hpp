// The lane of what is about a task (R32), from the task's id alone.
#pragma once
#include <string_view>

#include "base/half_digest.hpp"
#include "base/ids.hpp"

namespace parley::envelope {

base::HalfDigest task_key_of(std::string_view task);     // zeros: of no task
base::LaneId lane_of(const base::HalfDigest& task_key);  // 0: a lane of its own

}  // namespace parley::envelope
