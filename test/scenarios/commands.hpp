// What scripts can say: one function a command, each prints what a caller would be told.
#pragma once
#include <string>

#include "script.hpp"
#include "world.hpp"

namespace parley::scenarios {

// Runs one command and the turns it leads to; what it printed, and what broke besides.
std::string run(World& world, const Command& command);

}  // namespace parley::scenarios
