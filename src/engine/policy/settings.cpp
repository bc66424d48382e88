#include "engine/policy/settings.hpp"

#include "event/events.pb.h"

namespace parley::engine {

base::Result<> check_policy(const PolicySettings& settings) {
  if (!settings.risk || settings.risk->low <= settings.risk->high) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST, "the low threshold of risk is above the high one",
                    "/settings/risk_thresholds", "Name a low one that is at most the high one.");
}

void write(const PolicySettings& settings, event::Settings& out) {
  if (settings.chains) {
    event::Chains& chains = *out.mutable_enabled_chains();
    for (const std::string& chain : *settings.chains) chains.add_names(chain);
  }
  if (settings.budget) {
    event::BudgetLimits& limits = *out.mutable_budget_limits();
    limits.set_per_task(settings.budget->per_task.millionths);
    limits.set_per_agent(settings.budget->per_agent.millionths);
    limits.set_total(settings.budget->total.millionths);
  }
  if (!settings.risk) return;
  out.mutable_risk_thresholds()->set_low(settings.risk->low);
  out.mutable_risk_thresholds()->set_high(settings.risk->high);
}

PolicySettings read_policy(const event::Settings& in) {
  PolicySettings settings;
  if (in.has_enabled_chains())
    settings.chains.emplace(in.enabled_chains().names().begin(), in.enabled_chains().names().end());
  if (in.has_risk_thresholds()) settings.risk = {in.risk_thresholds().low(), in.risk_thresholds().high()};
  if (in.has_budget_limits())
    settings.budget = {{in.budget_limits().per_task()}, {in.budget_limits().per_agent()}, {in.budget_limits().total()}};
  return settings;
}

}  // namespace parley::engine
