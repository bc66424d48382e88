// What ack, nack and `wait --ack` have in common.
#pragma once
#include <string>
#include <vector>

#include "cli/online.hpp"

namespace parley::cli {

// "superseded  17-2".
std::string line_of(const sdk::Settled& settled, bool is_tty);

// One line, or one JSON result, a delivery; refused where any was superseded or unknown.
base::Result<Exit> settle(Context& context, const Online& online, sdk::Settlement what,
                          const std::vector<std::string>& delivery_ids, const sdk::SettleOptions& options);

}  // namespace parley::cli
