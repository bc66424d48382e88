#include "engine/currentness/check.hpp"

#include "engine/tasks/moves.hpp"

namespace parley::engine {
namespace {

constexpr Checked stale(std::string_view why) {
  return {Currentness::stale, {}, why};
}

Checked of_receipt(const Receipt& receipt, std::uint32_t epoch, Instant now) {
  switch (receipt.state) {
    case ReceiptState::expired:
      return stale("expired");
    case ReceiptState::dead:
    case ReceiptState::discarded:
      return stale("dead");
    case ReceiptState::superseded:
      return stale("task_over");
    case ReceiptState::rescinded:
      return stale("rescinded");
    case ReceiptState::held:
    case ReceiptState::rejected:
      return {};  // it knows nothing of it
    case ReceiptState::leased:
      if (epoch != 0 && (epoch != receipt.epoch || receipt.until <= now)) return stale("lease_over");
      break;
    case ReceiptState::queued:
    case ReceiptState::waiting:
      if (epoch != 0) return stale("lease_over");
      break;
    case ReceiptState::bounced:
      if (receipt.bounce != Bounce::no_reply) return stale("bounced");
      [[fallthrough]];  // below: what is an order, or an offer, is one still (BEY-01)
    case ReceiptState::acked:
    case ReceiptState::acted:
    case ReceiptState::offered:
      if (epoch != 0 && epoch != receipt.epoch) return stale("lease_over");
      break;
  }
  return {Currentness::current, {}, {}};
}

// Whether what it asks this agent for is: a request, a review, help, an offer; or an order that is remembered no
// longer.
bool is_over(const Workspace& workspace, AgentNumber agent, Offset offset, const Message& message, Instant now) {
  if (message.over) return true;
  if (const Request* const request = workspace.requests.find(offset); request && request->asks)
    return !request->waits_for(agent) || request->due <= now;
  if (const auto review = workspace.reviews.all().find(offset); review != workspace.reviews.all().end())
    return review->second.state != ReviewState::requested || review->second.due <= now;
  if (const Help* const help = workspace.help.find(offset)) return help->over() || help->helper() != agent;
  const auto offered = workspace.tasks.of_offer(offset);
  if (!offered) return false;
  const TaskOffer& offer = *workspace.tasks.at(*offered).offer;
  return offer.due != Instant{} && offer.due <= now;
}

}  // namespace

std::string_view name(Currentness currentness) {
  switch (currentness) {
    case Currentness::current:
      return "current";
    case Currentness::superseded:
      return "superseded";
    case Currentness::stale:
      return "stale";
    case Currentness::unknown:
      break;
  }
  return "unknown";
}

Checked check_delivery(const Workspace& workspace, AgentNumber agent, const DeliveryId& delivery, Instant now) {
  const Message* const message = workspace.messages.find(delivery.offset);
  const Receipt* const receipt = message ? message->receipt_of(agent) : nullptr;
  if (!receipt || delivery.epoch > receipt->epoch) return {};
  const Approval* const approval = workspace.approvals.find(delivery.offset);
  if (approval && approval->holds && !approval->let_through()) return {};  // it never came out
  const Checked delivered = of_receipt(*receipt, delivery.epoch, now);
  if (delivered.is == Currentness::unknown) return delivered;
  if (message->linked && workspace.replacements.after(delivery.offset)) {
    const Offset newest = workspace.replacements.newest(delivery.offset);
    return newest == Offset{} ? stale("rescinded") : Checked{Currentness::superseded, newest, {}};
  }
  if (message->moves_nothing) return stale("no_move");
  if (const auto known = workspace.tasks.of_assignment(delivery.offset)) {
    const Task& task = workspace.tasks.at(*known);
    if (task.assignment() != delivery.offset) return {Currentness::superseded, task.assignment(), {}};
    if (machine::task::is_over(task.state)) return stale("task_over");
    if (task.assignee != agent) return {Currentness::superseded, task.assignment(), {}};
    // What is escalated is given to somebody anew, or is over. What is held goes on where a human rejects its end.
    if (is_at_rest(task.state)) return stale("over");
  } else if (receipt->state == ReceiptState::bounced && !workspace.tasks.of_offer(delivery.offset)) {
    return stale("bounced");
  }
  if (delivered.is != Currentness::current) return delivered;
  if (message->expires() && message->expires_at <= now) return stale("expired");
  return is_over(workspace, agent, delivery.offset, *message, now) ? stale("over") : delivered;
}

}  // namespace parley::engine
