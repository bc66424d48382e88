// How much of the processors a thread asks for beside the others.
#pragma once

namespace parley::base {

// The calling thread gets what others leave, and about a tenth of a processor that they leave nothing of: for long work
// that nobody waits for.
void give_way();

}  // namespace parley::base
