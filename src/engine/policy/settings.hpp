// What a workspace lets its tasks be (HND-13, R39): which chains, and how risky before a human decides. Value types.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "engine/resources/amount.hpp"

namespace parley::event {
class Settings;
}

namespace parley::engine {

struct RiskThresholds {
  double low = 0;   // from here on a task is flagged
  double high = 0;  // and from here on held for a human

  friend bool operator==(const RiskThresholds&, const RiskThresholds&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(low, high);
  }
};

struct BudgetLimits {
  Amount per_task, per_agent, total;

  friend bool operator==(const BudgetLimits&, const BudgetLimits&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(per_task, per_agent, total);
  }
};

struct PolicySettings {
  std::optional<std::vector<std::string>> chains;  // none: any
  std::optional<RiskThresholds> risk;              // none: nobody minds
  std::optional<BudgetLimits> budget;              // none: as agents and tasks have limits of their own

  friend bool operator==(const PolicySettings&, const PolicySettings&) = default;
  template <class Archive>
  void archive(Archive& a) {
    a(chains, risk, budget);
  }
};

base::Result<> check_policy(const PolicySettings& settings);
void write(const PolicySettings& settings, event::Settings& out);
PolicySettings read_policy(const event::Settings& in);

}  // namespace parley::engine
