// What may be asked for (D11); a taker's part is told by GET /v1/limits. Checked at the port, so that no gateway can
// forget it.
#pragma once
#include "base/result.hpp"
#include "broker/port/settlement.hpp"

namespace parley::broker {

inline constexpr std::size_t reason_max = 1'024;  // characters of a nack's reason: it is kept with the message
inline constexpr base::Duration delay_max = std::chrono::hours(12);

inline constexpr std::size_t rationale_max = 1'000;  // characters of a decision's (R44)

base::Result<> check_lease(base::Duration lease, std::string where = "/lease");
base::Result<> check_settlement(const SettleRequest& request);

base::Result<> check_asked(std::size_t count);
base::Result<> check_rationale(std::string_view rationale);

}  // namespace parley::broker
