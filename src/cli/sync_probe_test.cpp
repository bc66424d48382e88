#include "cli/sync_probe.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace parley::cli {
namespace {

// The first write ends it, as Ctrl-C would.
void probe_and_be_killed(const std::string& folder) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_FSIZE, &none);
  static_cast<void>(probe_sync(folder, 1));
}

TEST(SyncProbe, leaves_nothing_however_it_ends) {
  const std::filesystem::path folder = testing::TempDir() + "/parley-probe-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(probe_sync(folder, 3));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EXIT(probe_and_be_killed(folder), testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace parley::cli
