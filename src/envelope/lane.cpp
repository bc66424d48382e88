#include "envelope/lane.hpp"

#include "base/hash.hpp"

namespace parley::envelope {

base::HalfDigest task_key_of(std::string_view task) {
  return task.empty() ? base::HalfDigest{} : base::first_half(base::sha256(task));
}

base::LaneId lane_of(const base::HalfDigest& task_key) {
  if (task_key == base::HalfDigest{}) return base::LaneId(0);
  std::uint64_t lane = 0;
  for (std::size_t i = 0; i < sizeof lane; ++i) lane = lane << 8 | task_key[i];
  return base::LaneId(lane == 0 ? 1 : lane);
}

}  // namespace parley::envelope
