#include "engine/policy/policy.hpp"

#include <algorithm>
#include <limits>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/messages/fields.hpp"
#include "engine/tasks/follow.hpp"

namespace parley::engine {
namespace {

using envelope::Kind;

constexpr std::size_t chain_bytes_max = 256;
constexpr std::size_t named_max = 5;

// What is no number is as risky as can be: it says nothing that one could rely on.
std::optional<double> risk_of(const envelope::Envelope& envelope) {
  const std::string_view stated = envelope::field(envelope, "risk");
  if (stated.empty()) return std::nullopt;
  return number_in(envelope, "risk").value_or(std::numeric_limits<double>::infinity());
}

std::string what_it_says(const envelope::Envelope& envelope) {
  return base::excerpt(envelope::field(envelope, "risk"), 32);
}

}  // namespace

base::Result<> check_chain(const AcceptMessage& command, const Workspace& workspace) {
  const auto& enabled = workspace.settings.policy.chains;
  if (!enabled || !command.ruleset.type(command.type).states_chain) return {};
  // What is handed over belongs where it was assigned, whatever the offer says.
  const auto known = command.envelope.kind == Kind::task_handoff ? task_named(command, workspace) : std::nullopt;
  const std::string_view of_task = known ? workspace.tasks.at(*known).terms.chain.view() : std::string_view();
  const std::string chain = of_task.empty() ? text_in(command.envelope, "chain") : std::string(of_task);
  if (!chain.empty() && std::ranges::find(*enabled, chain) != enabled->end()) return {};
  const std::string hint = enabled->empty() ? "No chain is enabled here: nothing can be assigned."
                                            : "Enabled are " + base::listed(*enabled, named_max) + ".";
  return base::fail(base::ErrorCode::CHAIN_DISABLED,
                    chain.empty() ? "the task names no chain, and only tasks of some chains are enabled here"
                                  : "the chain '" + base::excerpt(chain, 64) + "' is not enabled here",
                    "chain", hint);
}

std::optional<Asking> held_by_policy(const AcceptMessage& command, const Workspace& workspace) {
  const auto& thresholds = workspace.settings.policy.risk;
  const auto& approvals = command.ruleset.approvals;
  if (!thresholds || !approvals || command.envelope.kind != Kind::task_assign) return std::nullopt;
  const auto risk = risk_of(command.envelope);
  if (!risk || *risk < thresholds->high) return std::nullopt;
  return Asking{.subject = command.envelope.native_type,
                .why = "its risk is " + what_it_says(command.envelope) + ", from " + text_of(thresholds->high) +
                       " on a human decides",
                .approvers = {},
                .timeout = approvals->timeout,
                .holds = true};
}

void write_policy(const AcceptMessage& command, const Workspace& workspace, event::TaskMoved& moved,
                  std::vector<base::Problem>& warnings) {
  if (const auto chain = envelope::value(command.envelope, "chain").if_string(); chain && !chain->empty())
    moved.set_chain(base::excerpt(*chain, chain_bytes_max));
  const auto risk = risk_of(command.envelope);
  if (!risk) return;
  moved.set_risk(*risk);
  const auto& thresholds = workspace.settings.policy.risk;
  if (!thresholds || *risk < thresholds->low) return;
  moved.set_flagged(true);
  warnings.push_back({"", "RISK_FLAGGED",
                      "The task is flagged: its risk is " + what_it_says(command.envelope) + ", from " +
                          text_of(thresholds->low) + " on it is worth a look."});
}

}  // namespace parley::engine
