#include "app/disk_room.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/test_clock.hpp"

namespace parley::app {
namespace {

using journal::Room;
using testing::ElementsAre;
using testing::HasSubstr;

// B4: who reads the log alone sees when the disk was full, and that it is no longer.
TEST(DiskRoom, is_told_once_when_it_is_gone_and_once_when_it_is_back) {
  base::TestClock clock;
  std::vector<std::string> lines;
  const auto log =
      observe::Log::to_function(clock, observe::Level::info, [&](std::string_view line) { lines.emplace_back(line); });
  DiskRoom disk(*log);
  for (const Room room : {Room::enough, Room::soon, Room::later}) disk.look(room);
  EXPECT_TRUE(lines.empty());
  for (const Room room : {Room::full, Room::full, Room::soon, Room::full}) disk.look(room);
  EXPECT_THAT(lines, ElementsAre(HasSubstr(R"("level":"warning","event":"storage_full")")));
  for (const Room room : {Room::soon, Room::enough, Room::enough}) disk.look(room);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[1], HasSubstr(R"("event":"storage_has_room")"));
  disk.look(Room::full);
  EXPECT_EQ(lines.size(), 3u);
}

}  // namespace
}  // namespace parley::app
