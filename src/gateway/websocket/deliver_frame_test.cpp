#include "gateway/websocket/deliver_frame.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "gateway/form/form.hpp"

namespace parley::gateway::websocket {
namespace {

// Their bytes, and what they are of, live as long as the frames alone.
broker::Deliveries deliveries_of(std::size_t count, std::size_t bytes) {
  broker::Deliveries deliveries;
  for (std::size_t i = 0; i < count; ++i) {
    const auto body = std::make_shared<std::string>(R"({"n":")" + std::string(bytes, 'x') + "\"}");
    broker::Delivery& delivery = deliveries.all.emplace_back();
    delivery.delivery_id = std::to_string(i) + "-1";
    delivery.offset = base::Offset(i);
    delivery.message = *body;
    delivery.profile = "collab";
    deliveries.bodies.push_back(body);
  }
  return deliveries;
}

std::string text_of(const broker::Deliveries& deliveries) {
  std::string text;
  form::append_deliveries(text, deliveries.all);
  return text;
}

// What the frames bring, as one list.
std::string joined(const DeliverFrames& frames) {
  constexpr std::string_view before = R"({"op":"deliver","deliveries":[)", after = "]}";
  std::string list;
  for (const auto& frame : frames) {
    const std::string text = frame->take();
    EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
    if (!list.empty()) list += ',';
    list += text.substr(before.size(), text.size() - before.size() - after.size());
  }
  return list;
}

TEST(DeliverFrame, TakesAllDeliveriesInOrderInFramesThatStaySmall) {
  const auto deliveries = deliveries_of(100, 1000);
  const DeliverFrames frames = frames_of(deliveries_of(100, 1000));
  EXPECT_EQ(frames.size(), 4u);
  for (const auto& frame : frames) EXPECT_LE(frame->bytes(), 32u << 10);
  EXPECT_EQ(joined(frames), text_of(deliveries));
  EXPECT_EQ(frames_of(deliveries_of(2, 100'000)).size(), 2u);  // larger than a frame, each by itself
  EXPECT_TRUE(frames_of({}).empty());
}

TEST(DeliverFrame, IsMadeOnceWhoeverComesFirst) {
  const std::string expected = text_of(deliveries_of(300, 400));
  for (int round = 0; round < 200; ++round) {
    const DeliverFrames frames = frames_of(deliveries_of(300, 400));
    std::thread worker([&] { MakeFrames(frames).run(); });
    EXPECT_EQ(joined(frames), expected);
    worker.join();
  }
}

TEST(DeliverFrame, LetsTheBytesGoOnceItIsMade) {
  broker::Deliveries deliveries = deliveries_of(1, 10);
  const std::weak_ptr<const void> body = deliveries.bodies[0];
  const DeliverFrames frames = frames_of(std::move(deliveries));
  EXPECT_FALSE(body.expired());
  frames[0]->make_unless_begun();
  EXPECT_TRUE(body.expired());
  EXPECT_NE(frames[0]->take(), "");
}

}  // namespace
}  // namespace parley::gateway::websocket
