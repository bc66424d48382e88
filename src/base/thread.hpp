// How threads share the cores of a machine.
#pragma once

namespace parley::base {

// The calling thread takes a smaller share (nice 5, a third) than the process's others where both want the same core.
// For those beside the loop, which everybody waits for, and whose core they would take for milliseconds at a time.
void stand_back();

}  // namespace parley::base
