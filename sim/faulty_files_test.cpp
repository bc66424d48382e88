// The fault model is an oracle's other half: if it lost nothing, no test over it could fail.
#include "sim/faulty_files.hpp"

#include <gtest/gtest.h>

namespace parley::sim {
namespace {

using base::ErrorCode;
using base::OpenMode;

base::Result<> write(base::File& file, std::uint64_t offset, std::string_view bytes) {
  return file.write_at(offset, std::span(&bytes, 1));
}

struct Disk {
  FaultyFiles files;
  std::unique_ptr<base::File> file = *files.open("d/f", OpenMode::create_new);
};

TEST(FaultyFiles, SyncedBytesSurviveAnyPowerLoss) {
  Disk disk;
  ASSERT_TRUE(write(*disk.file, 0, "synced"));
  ASSERT_TRUE(disk.file->sync_data());
  ASSERT_TRUE(disk.files.sync_folder("d"));
  ASSERT_TRUE(write(*disk.file, 6, " and not"));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_TRUE(disk.files.after_power_loss(seed)->contents("d/f").starts_with("synced"));
  }
  EXPECT_EQ(disk.files.after_kill()->contents("d/f"), "synced and not");
}

TEST(FaultyFiles, UnsyncedWritesComeThroughWholeTornAndNotAtAll) {
  Disk disk;
  ASSERT_TRUE(disk.files.sync_folder("d"));
  const std::string bytes(16'384, 'x');
  ASSERT_TRUE(write(*disk.file, 0, bytes));
  bool none = false, whole = false, torn = false, late_only = false, size_only = false;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string left = disk.files.after_power_loss(seed)->contents("d/f");
    none |= left.empty();
    whole |= left == bytes;
    const bool any = left.find('x') != std::string::npos;
    torn |= any && left != bytes;
    late_only |= any && left[0] == '\0';                               // reordered
    size_only |= left.size() == bytes.size() && !left.ends_with('x');  // the size before the contents
  }
  EXPECT_TRUE(none && whole && torn && late_only && size_only);
}

TEST(FaultyFiles, NamesLastOnceTheirFolderIsSynced) {
  Disk disk;
  ASSERT_TRUE(disk.file->sync_data());
  ASSERT_TRUE(disk.files.sync_folder("d"));
  ASSERT_TRUE(disk.files.rename("d/f", "d/g"));
  bool old_name = false, new_name = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto names = disk.files.after_power_loss(seed)->names();
    ASSERT_EQ(names.size(), 1u);  // a rename is atomic
    (names[0] == "d/f" ? old_name : new_name) = true;
  }
  EXPECT_TRUE(old_name && new_name);
  ASSERT_TRUE(disk.files.sync_folder("d"));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(disk.files.after_power_loss(seed)->names(), std::vector<std::string>{"d/g"});
  }
}

TEST(FaultyFiles, AFailedSyncLosesThePagesThoughTheyRead) {
  Disk disk;
  ASSERT_TRUE(disk.files.sync_folder("d"));
  ASSERT_TRUE(write(*disk.file, 0, "lost"));
  disk.files.add_fault({Call::sync, 1, Effect::io_error});
  EXPECT_FALSE(disk.file->sync_data());
  EXPECT_TRUE(disk.file->sync_data());  // the kernel's lie
  EXPECT_EQ(disk.files.contents("d/f"), "lost");
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_EQ(disk.files.after_power_loss(seed)->contents("d/f"), "");
}

TEST(FaultyFiles, FaultsComeAtTheirCall) {
  Disk disk;
  disk.files.add_fault({Call::write, 2, Effect::no_space});
  EXPECT_TRUE(write(*disk.file, 0, "a"));
  auto full = write(*disk.file, 1, "b");
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, ErrorCode::STORAGE_FULL);
  EXPECT_TRUE(write(*disk.file, 1, "b"));
  disk.files.add_fault({std::nullopt, 1, Effect::power_off});
  EXPECT_FALSE(disk.file->sync_data());
  EXPECT_FALSE(write(*disk.file, 2, "c"));
  EXPECT_FALSE(disk.files.list("d"));
  EXPECT_EQ(disk.files.calls(Call::write), 3u);
}

TEST(FaultyFiles, CapacityBoundsGrowthAlone) {
  Disk disk;
  disk.files.set_capacity(100);
  EXPECT_TRUE(disk.file->allocate(100));
  EXPECT_TRUE(write(*disk.file, 0, std::string(100, 'x')));
  auto full = write(*disk.file, 60, std::string(41, 'x'));
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, ErrorCode::STORAGE_FULL);
  EXPECT_EQ(disk.files.free_space("d"), 0u);
}

}  // namespace
}  // namespace parley::sim
