#include "base/thread.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace parley::base {
namespace {

constexpr int niceness = 5;

}  // namespace

// On Linux a niceness is a thread's own. Nobody is refused a smaller share than they have.
void stand_back() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), ::getpriority(PRIO_PROCESS, 0) + niceness);
}

}  // namespace parley::base
