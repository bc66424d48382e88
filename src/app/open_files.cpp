#include "app/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <string>

namespace parley::app {
namespace {

// The journal's segments, written, ready and being made; two readers with nine each; snapshots; the loop's own.
constexpr rlim_t kept = 64;
constexpr rlim_t least = 2 * kept;

}  // namespace

base::Result<int> descriptors_for_connections() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  if (limit.rlim_cur < least)
    return base::fail(
        base::ErrorCode::INTERNAL,
        "the process may have " + std::to_string(limit.rlim_cur) + " files open, and needs " + std::to_string(least),
        "open files", "Raise the limit (`ulimit -n`, LimitNOFILE=).");
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, INT_MAX) - kept);
}

}  // namespace parley::app
