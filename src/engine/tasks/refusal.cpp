#include "engine/tasks/refusal.hpp"

#include <algorithm>

#include "base/joined.hpp"
#include "base/quoted.hpp"
#include "engine/tasks/moves.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t stand_ins_max = 5;       // named in the place of an assigner that was removed (BEY-02)
constexpr std::size_t stand_in_looks = 1'000;  // agents, in the search for them (D11)

using base::quoted;
using machine::task::Move;
using machine::task::Party;

const std::string& id_of(const Workspace& workspace, AgentNumber agent) {
  return workspace.registry.agent(agent).id;
}

std::string about(const Workspace& workspace, const Task& task) {
  return "task " + quoted(task.id.view()) + " is " + std::string(machine::task::name(task.state)) +
         (machine::task::is_over(task.state) ? ", its assignee was " : ", its assignee is ") +
         quoted(id_of(workspace, task.assignee));
}

// Who registered anew under a name is another.
std::string for_one_only(const Workspace& workspace, AgentNumber whose, AgentNumber sender) {
  const std::string& name = id_of(workspace, whose);
  if (name == id_of(workspace, sender))
    return "for the " + quoted(name) + " that was removed to send, not for the one registered since";
  return "for " + quoted(name) + " to send, not for " + quoted(id_of(workspace, sender));
}

// The profile's types of the kind that this agent's role may send, each once. `known`: about a task that there is,
// which no message can name by its own id.
void add_types(const profile::Ruleset& rules, envelope::Kind kind, const Agent& agent, bool known,
               std::vector<std::string>& into) {
  const std::string_view role = rules.role_of_agent(agent.id, agent.properties.agent_type);
  for (std::size_t i = 0; i < rules.types.size(); ++i) {
    const profile::MessageType& type = rules.types[i];
    if (known && type.names_task) continue;
    if (type.kind == kind && rules.may_send(profile::TypeIndex(static_cast<std::uint16_t>(i)), role) &&
        std::find(into.begin(), into.end(), type.name) == into.end())
      into.push_back(type.name);
  }
}

// "Now 'developer-01' may send: acknowledgment. …": of both parties, for whoever it is that should act.
std::string who_may(const profile::Ruleset& rules, const Workspace& workspace, const Task& task) {
  std::string text;
  for (const AgentNumber agent : who_may_move(workspace, task, rules)) {
    const auto types = legal_next(workspace, task, rules, agent);
    if (!types.empty())
      text += (text.empty() ? "Now " : "; ") + quoted(id_of(workspace, agent)) + " may send " + base::joined(types);
  }
  if (task.state == TaskState::assigned && rules.tasks->needs_ack)
    if (const Message* const message = workspace.messages.find(task.assignment()))
      text += " (of message " + quoted(message->id.view()) + ")";
  if (text.empty() && task.state == TaskState::held) return "A human decides first whether its end counts.";
  if (text.empty() && task.state == TaskState::escalated) return "A human decides first whether it is given again.";
  if (text.empty() && !machine::task::is_over(task.state)) return "Its assignee was removed: the server ends it next.";
  return text.empty() ? "The task is over: assign the work as a new task." : text + ".";
}

bool is_offered(const Workspace& workspace, const Task& task) {
  return task.offer && !workspace.registry.agent(task.offer->target).removed;
}

// BEY-03: where its assigner would give it otherwise, the message in whose place that can come; empty: none.
std::string can_be_corrected(const AcceptMessage& command, const Workspace& workspace, const Task& task) {
  const TaskFacts correcting{.readiness = Readiness::ready, .supersedes = true};
  const Move* const move = move_on(command.envelope.kind, task.state, correcting);
  const Message* const order = workspace.messages.find(task.ordered);  // also where it was handed over since
  const bool own = order && order->sender == command.sender && task.assigner == command.sender && !task.offer;
  if (command.envelope.kind != envelope::Kind::task_assign || !move || !own) return "";
  return " To give it otherwise, supersede message " + quoted(order->id.view()) + ".";
}

// HND-02: where its owner would offer it to another, the offer that stands in the way; empty: none does.
std::string can_be_offered_anew(const AcceptMessage& command, const Workspace& workspace, const Task& task) {
  const bool own = command.envelope.kind == envelope::Kind::task_handoff && command.sender == task.assignee;
  const Message* const offer =
      own && is_offered(workspace, task) ? workspace.messages.find(task.offer->request) : nullptr;
  if (!offer) return "";
  return " It is offered to " + quoted(id_of(workspace, task.offer->target)) +
         "; to offer it to another, rescind message " + quoted(offer->id.view()) + ".";
}

std::vector<AgentNumber> parties_of(const Workspace& workspace, const Task& task) {
  std::vector<AgentNumber> parties{task.assignee};
  if (task.assigner != task.assignee) parties.push_back(task.assigner);
  if (task.offer && task.offer->target != task.assigner) parties.push_back(task.offer->target);
  if (task.reviewer != AgentNumber{} && std::find(parties.begin(), parties.end(), task.reviewer) == parties.end())
    parties.push_back(task.reviewer);
  std::erase_if(parties, [&workspace](AgentNumber agent) { return workspace.registry.agent(agent).removed; });
  return parties;
}

// What this agent may do about the task as it stands, if its role sends that; 0: one without a part in it.
std::vector<envelope::Kind> open_to(const Workspace& workspace, const Task& task, const profile::Ruleset& rules,
                                    AgentNumber agent) {
  const TaskFacts facts{rules.tasks->needs_ack, is_offered(workspace, task), {}, {}, {}};
  const bool assigner_removed = workspace.registry.agent(task.assigner).removed;
  std::vector<envelope::Kind> kinds;
  for (const Move& move : machine::task::moves)
    if (move.on && (move.from & machine::task::of(task.state)) != 0 && holds(move.when, facts) &&
        is_party(move.by, task, agent, assigner_removed))
      kinds.push_back(*move.on);
  return kinds;
}

// The roles that make a move in the place of an assigner that was removed: all that send it. Found once for a task, so
// that a look at an agent costs little.
profile::RoleSet roles_that_stand_in(const Workspace& workspace, const Task& task, const profile::Ruleset& rules) {
  profile::RoleSet roles;
  for (const envelope::Kind kind : open_to(workspace, task, rules, AgentNumber{}))
    for (const profile::MessageType& type : rules.types) {
      if (type.kind != kind || type.names_task) continue;
      roles.members |= type.from.members;
      roles.any |= type.from.any;
    }
  return roles;
}

bool stands_in(const profile::RoleSet& roles, const profile::Ruleset& rules, const Agent& agent) {
  return agent.properties.profile == rules.name &&
         roles.has(rules.role_index(rules.role_of_agent(agent.id, agent.properties.agent_type)));
}

}  // namespace

std::vector<AgentNumber> who_may_move(const Workspace& workspace, const Task& task, const profile::Ruleset& rules) {
  std::vector<AgentNumber> agents = parties_of(workspace, task);
  if (!workspace.registry.agent(task.assigner).removed) return agents;
  const profile::RoleSet roles = roles_that_stand_in(workspace, task, rules);
  if (!roles.any && roles.members.none()) return agents;  // as of a task that is over
  const std::size_t most = agents.size() + stand_ins_max;
  std::size_t looks = 0;
  for (const auto& [id, agent] : workspace.registry.agents_by_id) {
    if (++looks > stand_in_looks || agents.size() == most) break;
    const bool is_named = std::ranges::find(agents, agent) != agents.end();
    if (!is_named && stands_in(roles, rules, workspace.registry.agent(agent))) agents.push_back(agent);
  }
  return agents;
}

std::vector<std::string> types_of(const profile::Ruleset& rules, std::initializer_list<envelope::Kind> kinds,
                                  const Agent& agent) {
  std::vector<std::string> types;
  for (const envelope::Kind kind : kinds) add_types(rules, kind, agent, false, types);
  return types;
}

std::vector<std::string> legal_next(const Workspace& workspace, const Task& task, const profile::Ruleset& rules,
                                    AgentNumber agent) {
  std::vector<std::string> types;
  for (const envelope::Kind kind : open_to(workspace, task, rules, agent))
    add_types(rules, kind, workspace.registry.agent(agent), true, types);
  return types;
}

std::vector<std::string> legal_about(const Workspace& workspace, std::string_view task, const profile::Ruleset& rules,
                                     AgentNumber agent) {
  if (const auto known = workspace.tasks.find(task))
    return legal_next(workspace, workspace.tasks.at(*known), rules, agent);
  return types_of(rules, {envelope::Kind::task_assign}, workspace.registry.agent(agent));
}

base::Error refusal(base::ErrorCode code, const AcceptMessage& command, const Workspace& workspace, const Task& task,
                    std::string message) {
  base::Error error;
  error.code = code;
  error.message = std::move(message);
  error.where = "task";
  error.hint = who_may(command.ruleset, workspace, task);
  error.legal_next = legal_next(workspace, task, command.ruleset, command.sender);
  return error;
}

base::Error refusal(base::ErrorCode code, const Workspace& workspace, const Task& task, const profile::Ruleset* rules,
                    AgentNumber by, std::string message) {
  base::Error error;
  error.code = code;
  error.message = std::move(message);
  error.where = "task_id";
  if (!rules || !rules->tasks) return error;
  error.hint = who_may(*rules, workspace, task);
  if (by != AgentNumber{}) error.legal_next = legal_next(workspace, task, *rules, by);
  return error;
}

base::Error task_unknown(const AcceptMessage& command, const Workspace& workspace, std::string_view id) {
  base::Error error;
  error.code = base::ErrorCode::TASK_UNKNOWN;
  error.message =
      "no task " + quoted(id) + " was assigned here, and '" + command.envelope.native_type + "' is about one";
  error.where = "task";
  error.legal_next = types_of(command.ruleset, {envelope::Kind::task_assign}, workspace.registry.agent(command.sender));
  return error;
}

base::Error no_move(const AcceptMessage& command, const Workspace& workspace, const Task& task) {
  const TaskFacts facts{command.ruleset.tasks->needs_ack, is_offered(workspace, task), {}, {}, {}};
  const Move* const move = move_on(command.envelope.kind, task.state, facts);
  if (!move) {
    base::Error error =
        refusal(base::ErrorCode::OUT_OF_SEQUENCE, command, workspace, task,
                about(workspace, task) + ": '" + command.envelope.native_type + "' makes no move from there");
    error.hint += can_be_corrected(command, workspace, task) + can_be_offered_anew(command, workspace, task);
    return error;
  }
  const AgentNumber whose = move->by == Party::assigner               ? task.assigner
                            : move->by == Party::target && task.offer ? task.offer->target
                            : move->by == Party::reviewer             ? task.reviewer
                                                                      : task.assignee;
  return refusal(base::ErrorCode::NOT_PARTY, command, workspace, task,
                 about(workspace, task) + ": '" + command.envelope.native_type + "' is " +
                     for_one_only(workspace, whose, command.sender));
}

base::Error stale_order(const AcceptMessage& command, const Workspace& workspace, const Task& task) {
  return refusal(base::ErrorCode::STALE_ORDER, command, workspace, task,
                 "the assignment it answers was replaced: " + about(workspace, task) + ", in its assignment " +
                     std::to_string(task.epoch));
}

base::Error undecided(const AcceptMessage& command, const Workspace& workspace, const Task& task,
                      const Approval& approval, bool by_human) {
  base::Error error = refusal(base::ErrorCode::OUT_OF_SEQUENCE, command, workspace, task,
                              about(workspace, task) + ", and its assignee's own question about it (approval " +
                                  quoted(approval.id.view()) + ") waits for a human");
  error.hint = by_human
                   ? "Decide that question first; or reject the completion, and its task goes on."
                   : "Complete the task once the decision has come; report progress meanwhile, or say that it failed.";
  return error;
}

base::Error no_offer(const AcceptMessage& command) {
  base::Error error;
  error.code = base::ErrorCode::STALE_ORDER;
  error.message =
      "no offer " + quoted(command.envelope.correlation) + " is open: it was answered, ran out, or its task is over";
  error.where = "correlation";
  error.hint = "Answer under the id of the offer; an open one is shown as `offered_to` by GET …/tasks.";
  return error;
}

base::Error offered_to_itself(const AcceptMessage& command, const Workspace& workspace, const Task& task) {
  auto error =
      refusal(base::ErrorCode::NOT_PARTY, command, workspace, task,
              about(workspace, task) + ": a '" + command.envelope.native_type + "' offers it to one other agent");
  error.where = "recipients";
  return error;
}

base::Error goes_past(const AcceptMessage& command, const Workspace& workspace, const Task& task, AgentNumber who) {
  auto error = refusal(base::ErrorCode::NOT_PARTY, command, workspace, task,
                       about(workspace, task) + ": a '" + command.envelope.native_type + "' of it must reach " +
                           quoted(id_of(workspace, who)));
  error.where = "recipients";
  error.hint = "Address it to " + quoted(id_of(workspace, who)) + ".";
  return error;
}

}  // namespace parley::engine
