// How threads share the cores of a machine.
#pragma once

namespace parley::base {

// The calling thread takes a smaller share (nice 5, a third) than the process's others where cores are few. For those
// beside the loop: whatever they do is of use once the loop has time for it, and they would take its core for a while.
void stand_back();

}  // namespace parley::base
