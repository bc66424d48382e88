// Only in the binary that has mimalloc (decision 7), which gives freed memory back to the system after 25 ms. Blocks
// and frames are freed and made again all the time, and taking their pages anew costs a twentieth of the loop's time.
#include <mimalloc.h>

namespace parley::app {
namespace {

constexpr long kept_ms = 250;

// Before main; MIMALLOC_DECOMMIT_DELAY still says otherwise.
[[maybe_unused]] const bool is_kept = [] {
  mi_option_set_default(mi_option_decommit_delay, kept_ms);
  return true;
}();

}  // namespace
}  // namespace parley::app
