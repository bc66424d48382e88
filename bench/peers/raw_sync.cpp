// What the disk itself takes: 4 KB written into ready space, then fdatasync; the p50 of many, in µs.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "bench/peers/measurement.hpp"

namespace {

using namespace parley::peers;

void measure(const std::string& path, double seconds) {
  constexpr std::size_t block = 4096, blocks = 4096;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  check(file >= 0, path + " cannot be opened");
  const std::vector<char> bytes(block, 'p');
  for (std::size_t i = 0; i < blocks; ++i)
    check(::pwrite(file, bytes.data(), block, static_cast<off_t>(i * block)) == block, "pwrite");
  check(::fdatasync(file) == 0, "fdatasync");

  std::vector<double> times;
  const auto start = Clock::now();
  for (std::size_t i = 0; std::chrono::duration<double>(Clock::now() - start).count() < seconds; i = (i + 1) % blocks) {
    const auto before = Clock::now();
    check(::pwrite(file, bytes.data(), block, static_cast<off_t>(i * block)) == block, "pwrite");
    check(::fdatasync(file) == 0, "fdatasync");
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  ::close(file);
  ::unlink(path.c_str());
  std::ranges::sort(times);
  std::printf("{\"p50\": %.1f, \"p99\": %.1f, \"max\": %.1f, \"syncs\": %zu}\n", times[times.size() / 2],
              times[times.size() * 99 / 100], times.back(), times.size());
}

}  // namespace

int main(int argc, char** argv) {
  return run_peer([&] {
    const Arguments arguments(argc, argv);
    measure(arguments.text("--file", "raw-sync.bin"), static_cast<double>(arguments.number("--seconds", 2)));
  });
}
