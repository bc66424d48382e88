#include "engine/messages/messages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace parley::engine {
namespace {

std::vector<std::uint64_t> behind(const Messages& messages, std::uint64_t offset, std::size_t most = 1000) {
  std::vector<std::uint64_t> offsets;
  messages.visit_after(Offset(offset), [&](Offset at, const Message&) {
    offsets.push_back(at.value);
    return offsets.size() < most;
  });
  return offsets;
}

TEST(Messages, finds_what_was_added_and_walks_it_in_order) {
  Messages messages;
  for (const std::uint64_t offset : {1, 2, 31, 32, 64, 1'000'000})
    messages.add(Offset(offset)).length = static_cast<std::uint32_t>(offset);
  EXPECT_EQ(messages.size(), 6);
  EXPECT_EQ(messages.at(Offset(64)).length, 64);
  EXPECT_EQ(messages.find(Offset(3)), nullptr);
  EXPECT_EQ(messages.find(Offset(500'000)), nullptr);
  EXPECT_EQ(behind(messages, 0), (std::vector<std::uint64_t>{1, 2, 31, 32, 64, 1'000'000}));
  EXPECT_EQ(behind(messages, 2), (std::vector<std::uint64_t>{31, 32, 64, 1'000'000}));
  EXPECT_EQ(behind(messages, 31), (std::vector<std::uint64_t>{32, 64, 1'000'000}));
  EXPECT_EQ(behind(messages, 0, 2), (std::vector<std::uint64_t>{1, 2}));
}

TEST(Messages, forgets_what_was_erased) {
  Messages messages;
  for (std::uint64_t offset = 1; offset <= 100; ++offset) messages.add(Offset(offset));
  for (std::uint64_t offset = 1; offset <= 100; ++offset)
    if (offset % 10 != 0) messages.erase(Offset(offset));
  EXPECT_EQ(messages.size(), 10);
  EXPECT_EQ(messages.find(Offset(11)), nullptr);
  EXPECT_EQ(behind(messages, 55), (std::vector<std::uint64_t>{60, 70, 80, 90, 100}));
  for (const std::uint64_t offset : behind(messages, 0)) messages.erase(Offset(offset));
  EXPECT_EQ(behind(messages, 0), std::vector<std::uint64_t>());
}

}  // namespace
}  // namespace parley::engine
