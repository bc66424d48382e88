#include "gateway/websocket/deliver_frame.hpp"

#include "gateway/form/form.hpp"

namespace parley::gateway::websocket {
namespace {

constexpr std::size_t around_bytes = 256;  // what a delivery has beside its message, as a rule

// Of a frame, unless one message is larger: what is made, sent, received and parsed stays in the cache.
constexpr std::size_t frame_bytes = 32 << 10;

std::size_t size_of(const broker::DeliveryDetails& details) {
  std::size_t size = around_bytes + details.task_error.size() + details.superseded_id.size() + details.made_id.size();
  for (const std::string& task : details.pending) size += task.size();
  for (const base::Problem& warning : details.warnings)
    size += around_bytes + warning.instance.size() + warning.schema.size() + warning.message.size();
  return size;
}

std::size_t size_of(const broker::Delivery& delivery) {
  return around_bytes + delivery.message.size() + (delivery.details ? size_of(*delivery.details.get()) : 0);
}

// How many of them, the first, go into one frame, and what room they need there.
struct Share {
  std::size_t count = 0;
  std::size_t bytes = 64;
};
Share share_of(std::span<const broker::Delivery> deliveries) {
  Share share;
  for (const broker::Delivery& delivery : deliveries) {
    const std::size_t bytes = size_of(delivery);
    if (share.count > 0 && share.bytes + bytes > frame_bytes) break;
    ++share.count;
    share.bytes += bytes;
  }
  return share;
}

}  // namespace

void DeliverFrame::make_unless_begun() {
  State state = State::waiting;
  if (!state_.compare_exchange_strong(state, State::begun, std::memory_order_acquire)) return;
  text_.reserve(bytes_);
  text_ = R"({"op":"deliver","deliveries":[)";
  form::append_deliveries(text_, share_);
  text_ += "]}";
  deliveries_.reset();
  state_.store(State::made, std::memory_order_release);
  state_.notify_one();
}

std::string DeliverFrame::take() {
  make_unless_begun();
  state_.wait(State::begun, std::memory_order_acquire);
  return std::move(text_);
}

DeliverFrames frames_of(broker::Deliveries deliveries) {
  const auto all = std::make_shared<const broker::Deliveries>(std::move(deliveries));
  DeliverFrames frames;
  for (std::span<const broker::Delivery> left = all->all; !left.empty();) {
    const Share share = share_of(left);
    frames.push_back(std::make_shared<DeliverFrame>(all, left.first(share.count), share.bytes));
    left = left.subspan(share.count);
  }
  return frames;
}

}  // namespace parley::gateway::websocket
