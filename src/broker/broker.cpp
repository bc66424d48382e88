#include "broker/broker.hpp"

#include <algorithm>
#include <chrono>

namespace parley::broker {
namespace {

constexpr base::Duration forget_every = std::chrono::seconds(1);

}  // namespace

base::Result<Recovery> Broker::start() {
  PARLEY_TRY(Recovery recovery, core_.start());
  PARLEY_CHECK(turn());
  return recovery;
}

base::Result<> Broker::stop() {
  PARLEY_CHECK(core_.stop());
  core_.end_turn();
  return {};
}

base::Result<> Broker::turn() {
  PARLEY_CHECK(core_.poll());
  core_.open_gate();  // what this asks for is decided in this turn
  core_.begin_turn();
  core_.go_on();
  deliveries_.begin_turn();
  core_.carry_out_duties([this](base::WorkspaceNumber workspace, base::AgentNumber agent) {
    return deliveries_.polled_at({workspace, agent});
  });
  const base::Instant now = core_.context().now;
  const bool forgets = now - forgot_at_ >= forget_every;
  if (forgets) deliveries_.retry_starved();
  if (forgets || core_.block().bytes() > 0) {
    forgot_at_ = now;
    core_.forget_old();
  }
  deliveries_.serve_touched();
  if (core_.failure()) return std::unexpected(*core_.failure());
  deliveries_.push_receipts();
  messages_.record_refusals();
  deliveries_.wake_due();
  if (!core_.syncing()) {  // else the block goes on gathering until that sync has ended
    PARLEY_CHECK(core_.commit());
    deliveries_.skip(core_.catch_up_with_time());
  }
  core_.open_gate();
  core_.end_turn();
  return {};
}

std::optional<base::Duration> Broker::until_next_due() {
  std::optional<base::Instant> due;
  const auto also = [&due](std::optional<base::Instant> at) {
    if (at && (!due || *at < *due)) due = at;
  };
  // What the open block decides is decided at its own time: what fell due since waits for the next one.
  if (!core_.syncing() || core_.block().empty()) also(core_.next_duty());
  also(deliveries_.next_deadline());
  also(messages_.next_refusals());
  if (!due) return std::nullopt;
  return std::max(base::Duration{}, *due - core_.now());
}

}  // namespace parley::broker
