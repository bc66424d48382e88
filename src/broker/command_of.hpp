// What ingress made of a message as the command that accepts it. Internal to the broker.
#pragma once
#include "engine/command.hpp"
#include "ingress/check.hpp"

namespace parley::broker {

// Views into `checked`. What was said beside the message, and its own bytes, the caller adds.
inline engine::AcceptMessage command_of(base::WorkspaceNumber workspace, base::AgentNumber sender,
                                        const profile::Ruleset& ruleset, const ingress::Checked& checked) {
  return {.workspace = workspace,
          .sender = sender,
          .envelope = checked.envelope,
          .ruleset = ruleset,
          .type = checked.type,
          .lane = checked.lane,
          .task_key = checked.task_key,
          .warnings = checked.warnings,
          .validation_errors = checked.validation_errors};
}

}  // namespace parley::broker
