#include "base/priority.hpp"

#include <sys/resource.h>

namespace parley::base {
namespace {

constexpr int niceness = 10;  // a weight of 110 where others have 1,024 (sched(7))

}  // namespace

void give_way() {
  // Linux takes 0 for the calling thread alone. Asking for less is always allowed; were it not, the work is done as
  // before.
  (void)::setpriority(PRIO_PROCESS, 0, niceness);
}

}  // namespace parley::base
