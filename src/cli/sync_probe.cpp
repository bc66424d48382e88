// The same calls as the journal's: write_at into space that was written before, then fdatasync.
#include "cli/sync_probe.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace parley::cli {
namespace {

constexpr std::size_t block = 4096;

base::Result<std::vector<base::Duration>> measure(base::File& file, int syncs) {
  const std::string bytes(block, 'p');
  const std::array<std::string_view, 1> piece{bytes};
  base::SystemClock clock;
  for (int i = 0; i < syncs; ++i) PARLEY_CHECK(file.write_at(i * block, piece));
  PARLEY_CHECK(file.sync_data());
  std::vector<base::Duration> times;
  for (int i = 0; i < syncs; ++i) {
    const auto start = clock.monotonic();
    PARLEY_CHECK(file.write_at(i * block, piece));
    PARLEY_CHECK(file.sync_data());
    times.push_back(clock.monotonic() - start);
  }
  return times;
}

}  // namespace

base::Result<SyncLatency> probe_sync(const std::string& folder, int syncs) {
  const auto files = base::system_files();
  const std::string path = folder + "/sync-probe." + std::to_string(::getpid());
  PARLEY_TRY(const auto file, files->open(path, base::OpenMode::create_new));
  PARLEY_CHECK(files->remove(path));  // at once: whatever ends this program, nothing stays
  PARLEY_TRY(auto times, measure(*file, syncs));
  std::ranges::sort(times);
  return SyncLatency{times[times.size() / 2], times.back()};
}

}  // namespace parley::cli
