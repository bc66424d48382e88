// How many files the process may have open, and how many of them are connections. Strangers take connections at will;
// what the journal must open is never refused for their sake.
#pragma once
#include "base/result.hpp"

namespace parley::app {

// Raises the process's limit as far as it may. Gives the number from which on descriptors are no connections': as the
// lowest free number is taken, so many stay free below the limit. An error where the limit is too low to serve.
base::Result<int> descriptors_for_connections();

}  // namespace parley::app
