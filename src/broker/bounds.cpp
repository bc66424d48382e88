#include "broker/bounds.hpp"

#include "envelope/limits.hpp"
#include "json/value.hpp"

namespace parley::broker {
namespace {

base::Result<> check_at_most(std::string_view what, base::Duration duration, base::Duration most, std::string where) {
  if (duration <= most) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    std::string(what) + " is " + base::to_text(duration) + "; the longest is " + base::to_text(most),
                    std::move(where));
}

}  // namespace

base::Result<> check_lease(base::Duration lease, std::string where) {
  if (lease > base::Duration{} && lease < envelope::lease_min)
    return base::fail(
        base::ErrorCode::BAD_REQUEST,
        "the lease is " + base::to_text(lease) + "; the shortest is " + base::to_text(envelope::lease_min),
        std::move(where));
  return check_at_most("the lease", lease, envelope::lease_max, std::move(where));
}

base::Result<> check_asked(std::size_t count) {
  if (count > 0 && count <= envelope::listed_max) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    std::to_string(count) + " deliveries and messages are asked about; it may be 1 to " +
                        std::to_string(envelope::listed_max),
                    "/delivery_ids");
}

base::Result<> check_rationale(std::string_view rationale) {
  const std::size_t length = json::code_points(rationale);
  if (length > 0 && length <= rationale_max) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    length == 0 ? "a decision has its rationale"
                                : "the rationale has " + std::to_string(length) + " characters, the limit is " +
                                      std::to_string(rationale_max),
                    "/rationale", length == 0 ? "Say why, in a sentence." : "Say it shorter.");
}

base::Result<> check_settlement(const SettleRequest& request) {
  if (request.delivery_ids.size() > envelope::listed_max)
    return base::fail(base::ErrorCode::BAD_REQUEST,
                      "the call settles " + std::to_string(request.delivery_ids.size()) + " deliveries, the limit is " +
                          std::to_string(envelope::listed_max),
                      "/delivery_ids", "Settle them in several calls.");
  if (const std::size_t length = json::code_points(request.reason); length > reason_max)
    return base::fail(
        base::ErrorCode::BAD_REQUEST,
        "the reason has " + std::to_string(length) + " characters, the limit is " + std::to_string(reason_max),
        "/reason", "Say it shorter; what is longer belongs in a message.");
  PARLEY_CHECK(check_lease(request.lease));
  return check_at_most("the delay", request.delay.value_or(base::Duration{}), delay_max, "/delay");
}

}  // namespace parley::broker
