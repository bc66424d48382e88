#include "engine/mailboxes/delivery_error.hpp"

#include <array>

namespace parley::engine {
namespace {

using Type = DeliveryError::Type;

Type type_of(const Attempt& attempt) {
  if (attempt.what != "nacked") return Type::timeout;
  return attempt.reason && attempt.reason->starts_with("malformed") ? Type::malformed : Type::rejected;
}

// Of the attempt that failed last.
std::optional<Type> last_of(const Agent& agent, Offset offset) {
  if (const auto letter = agent.dead_letters.find(offset); letter != agent.dead_letters.end())
    return letter->second.history.empty() ? Type::timeout : type_of(letter->second.history.back());
  if (const auto failed = agent.attempts.find(offset); failed != agent.attempts.end() && !failed->second.empty())
    return type_of(failed->second.back());
  return std::nullopt;
}

bool is_under_way(ReceiptState state) {
  return state == ReceiptState::leased || state == ReceiptState::offered;
}

}  // namespace

std::string_view name(Type type) {
  static constexpr std::array<std::string_view, 3> names = {"timeout", "rejected", "malformed"};
  return names[static_cast<std::size_t>(type)];
}

std::optional<DeliveryError> delivery_error_of(const Workspace& workspace, Offset offset, const Receipt& receipt,
                                               const profile::RetryPolicy& policy) {
  std::optional<Type> type;
  if (receipt.state == ReceiptState::expired) type = Type::timeout;
  if (receipt.state == ReceiptState::bounced || receipt.state == ReceiptState::rejected) type = Type::rejected;
  if (open(receipt.state) || receipt.state == ReceiptState::dead)
    type = last_of(workspace.registry.agent(receipt.agent), offset);
  if (!type) return std::nullopt;

  DeliveryError error{*type, receipt.attempts, policy.attempts > 0 ? policy.attempts - 1 : 0, {}};
  if (!is_under_way(receipt.state) && error.retries > 0) --error.retries;  // what failed first was no retry
  if (receipt.state == ReceiptState::waiting) error.next_retry_at = receipt.until;
  return error;
}

}  // namespace parley::engine
