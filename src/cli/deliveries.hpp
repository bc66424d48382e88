// Deliveries as a person reads them.
#pragma once
#include "cli/verb.hpp"
#include "sdk/cpp/delivery.hpp"

namespace parley::cli {

//   delivery  8f3…   offset 17   attempt 1   high   lease until 2026-…
//   { …the native message… }
void print_delivery(const Terminal& terminal, const sdk::Delivery& delivery);

}  // namespace parley::cli
