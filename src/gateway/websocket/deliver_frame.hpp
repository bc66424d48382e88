// A frame of deliveries. It leaves after the next sync, and a worker may make it meanwhile.
#pragma once
#include <atomic>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "broker/port/delivery.hpp"
#include "net/workers.hpp"

namespace parley::gateway::websocket {

// Resource type. Whoever comes first makes it; any thread may.
class DeliverFrame {
 public:
  // `share` is of `deliveries`, and needs about `bytes` in the frame.
  DeliverFrame(std::shared_ptr<const broker::Deliveries> deliveries, std::span<const broker::Delivery> share,
               std::size_t bytes)
      : deliveries_(std::move(deliveries)), share_(share), bytes_(bytes) {}

  std::size_t bytes() const { return bytes_; }  // about
  void make_unless_begun();
  std::string take();  // once; waits for a thread that has begun it

 private:
  enum class State : std::uint8_t { waiting, begun, made };

  std::shared_ptr<const broker::Deliveries> deliveries_;
  std::span<const broker::Delivery> share_;
  std::size_t bytes_;
  std::string text_;  // of who has begun it, until it is made
  std::atomic<State> state_ = State::waiting;
};

using DeliverFrames = std::vector<std::shared_ptr<DeliverFrame>>;

// All of `deliveries`, in frames that stay in a core's cache.
DeliverFrames frames_of(broker::Deliveries deliveries);

// From the last to the first: the loop takes them from the first on, and whoever makes more meets the other once.
class MakeFrames final : public net::Job {
 public:
  explicit MakeFrames(DeliverFrames frames) : frames_(std::move(frames)) {}

  void run() override {
    for (const auto& frame : std::views::reverse(frames_)) frame->make_unless_begun();
  }
  bool is_told() const override { return false; }

 private:
  DeliverFrames frames_;
};

}  // namespace parley::gateway::websocket
