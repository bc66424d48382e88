#include "engine/errors/follow.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/quoted.hpp"
#include "engine/currentness/take_back.hpp"
#include "engine/messages/directions.hpp"
#include "engine/messages/fields.hpp"
#include "engine/messages/said.hpp"
#include "engine/workspaces/share.hpp"

namespace parley::engine {
namespace {

using base::ErrorCode;
using base::quoted;
using envelope::Kind;
namespace error_case = machine::error_case;

constexpr std::size_t task_bytes_max = 512, word_bytes_max = 128, text_bytes_max = 512;
constexpr std::size_t told_max = 16, named_max = 5;

// The move of the table that a message makes; a decision is named by the state that it leads to.
const error_case::Move* move_on(Kind kind, error_case::Party by, ErrorState to) {
  for (const error_case::Move& move : error_case::moves)
    if (move.on == kind && move.by == by && move.to.value_or(ErrorState::undecided) == to) return &move;
  return nullptr;
}

// One message at the table.
class Follow {
 public:
  Follow(const AcceptMessage& command, const Workspace& workspace, const std::vector<AgentNumber>& to)
      : command_(command),
        workspace_(workspace),
        errors_(workspace.errors),
        policy_(*command.ruleset.errors),
        to_(to) {}

  using Moved = base::Result<std::optional<event::ErrorMoved>>;

  Moved reported() const {
    const std::string& about = command_.envelope.reply_to;
    const bool answers =
        workspace_.requests.find(about, command_.sender).has_value();  // whose id an error may have too
    if (const auto known = answers ? std::vector<Offset>() : passed_on_here(about); !known.empty())
      return passed_on(known);
    const Agent& sender = workspace_.registry.agent(command_.sender);
    if (sender.removed) return std::nullopt;  // since it was held
    const std::string agent = text_in(command_.envelope, "agent");
    if (!agent.empty() && agent != sender.id) return std::nullopt;  // D10: an agent speaks for itself
    PARLEY_CHECK(check_room(sender));
    const bool blocks = field(command_.envelope, "blocks") == "true";
    event::ErrorMoved moved;
    moved.set_state(static_cast<std::uint32_t>(ErrorState::undecided));
    moved.set_agent(command_.sender.value);
    moved.set_status(blocks ? policy_.blocked : policy_.failed);
    if (blocks) moved.set_blocked(policy_.workspace);
    moved.set_code(base::excerpt(text_in(command_.envelope, "error_code"), word_bytes_max));
    moved.set_severity(base::excerpt(text_in(command_.envelope, "severity"), word_bytes_max));
    moved.set_text(base::excerpt(text_in(command_.envelope, "text"), text_bytes_max));
    return moved;
  }

  Moved decided() const {
    const ErrorState outcome = policy_.state_of(text_in(command_.envelope, "decision"));
    if (!move_on(Kind::request, error_case::Party::decider, outcome)) return std::nullopt;
    const Agent& sender = workspace_.registry.agent(command_.sender);
    if (role_of(command_.ruleset, sender) != policy_.decided_by) return std::unexpected(not_yours(sender));
    PARLEY_TRY(const std::vector<Offset> about, errors_meant());
    event::ErrorMoved moved;
    moved.set_state(static_cast<std::uint32_t>(outcome));
    for (const Offset offset : about) moved.add_errors(offset.value);
    moved.set_agent(errors_.find(about.front())->agent.value);
    return moved;
  }

 private:
  // Which errors the message passes on: those that the id names. Who was sent another message of that id means that
  // one, whoever copied its id into an error of its own; and what stands in the place of an error is one itself.
  std::vector<Offset> passed_on_here(const std::string& id) const {
    std::vector<Offset> known = errors_.find(id);
    if (known.empty()) return known;
    AgentNumber whose{};
    for (const std::string& recipient : {workspace_.registry.agent(command_.sender).id + '\n', std::string("*")}) {
      const bool one_everywhere = command_.ruleset.idempotency_key == profile::IdempotencyKey::message;
      const auto message = workspace_.message_of(id_key_of(id, one_everywhere ? "" : recipient));
      if (!message || !workspace_.messages.at(*message).receipt_of(command_.sender)) continue;
      const ErrorCase* const error = errors_.find(*message);
      if (!error) return {};
      whose = error->agent;
    }
    if (whose != AgentNumber{}) known = errors_.find(id, whose);
    for (const Offset superseded : superseded_by(command_)) std::erase(known, superseded);
    return known;
  }

  Moved passed_on(const std::vector<Offset>& known) const {
    event::ErrorMoved moved;
    moved.set_state(static_cast<std::uint32_t>(ErrorState::undecided));
    moved.set_agent(errors_.find(known.front())->agent.value);
    for (const Offset offset : known) moved.add_errors(offset.value);
    if (field(command_.envelope, "blocks") != "true") return moved;
    moved.set_status(policy_.blocked);
    moved.set_blocked(policy_.workspace);
    return moved;
  }

  base::Result<> check_room(const Agent& sender) const {
    const std::size_t own = errors_.of(command_.sender).size();
    if (own >= ErrorCases::most_of_one)
      return full(ErrorCode::ERRORS_FULL, std::to_string(own) + " errors of " + quoted(sender.id) +
                                              " wait for decisions; the limit is " +
                                              std::to_string(ErrorCases::most_of_one));
    if (errors_.all().size() >= ErrorCases::most)
      return full(ErrorCode::ERRORS_FULL, "in " + quoted(workspace_.name) + " " + std::to_string(errors_.all().size()) +
                                              " errors wait for decisions; the limit is " +
                                              std::to_string(ErrorCases::most));
    return {};
  }

  // Of those that it reaches, and of its sender: what it names; else all of theirs. Whoever waits must hear of it.
  base::Result<std::vector<Offset>> errors_meant() const {
    const std::string named = text_in(command_.envelope, "error");
    const std::string& id = named.empty() ? command_.envelope.reply_to : named;
    std::vector<Offset> meant;
    const auto add_of = [&](AgentNumber agent) {
      if (id.empty()) return add(errors_.of(agent), meant);
      add(errors_.find(id, agent), meant);
    };
    for (const AgentNumber agent : to_) add_of(agent);
    if (!id.empty() && !std::ranges::binary_search(to_, command_.sender)) add_of(command_.sender);
    if (!meant.empty()) return meant;
    const auto elsewhere = id.empty() ? std::vector<Offset>() : errors_.find(id);
    if (elsewhere.empty()) return std::unexpected(unknown(id));
    const std::string& waits = workspace_.registry.agent(errors_.find(elsewhere.front())->agent).id;
    return base::fail(ErrorCode::ERROR_UNKNOWN, "the decision does not reach '" + waits + "', who waits for it",
                      "recipients", "Address it to '" + waits + "'.");
  }

  // As many as may be of one agent: the next decision is on the others.
  static void add(const auto& errors, std::vector<Offset>& meant) {
    for (const Offset offset : errors)
      if (meant.size() < ErrorCases::most_of_one) meant.push_back(offset);
  }

  base::Error unknown(std::string_view id) const {
    base::Error error;
    error.code = ErrorCode::ERROR_UNKNOWN;
    error.message = id.empty() ? "no error of its recipients waits for a decision"
                               : "no error " + quoted(id) + " waits for a decision here";
    error.where = "error";
    std::size_t left = named_max;
    for (const auto& [offset, waiting] : errors_.all()) {
      if (left-- == 0) break;
      error.hint += (error.hint.empty() ? "These wait: " : ", ") + quoted(waiting.id.view()) + " of " +
                    quoted(workspace_.registry.agent(waiting.agent).id);
    }
    error.hint += error.hint.empty() ? "None waits: it was decided, or its agent was removed." : ".";
    return error;
  }

  // Who may not decide may pass it on to who does.
  base::Error not_yours(const Agent& sender) const {
    base::Error error;
    error.code = ErrorCode::ERROR_NOT_YOURS;
    error.message = "errors are decided by the role '" + policy_.decided_by + "'; the role of " + quoted(sender.id) +
                    " is '" + std::string(role_of(command_.ruleset, sender)) + "'";
    error.where = "sender";
    for (const profile::MessageType& type : command_.ruleset.types)
      if (type.kind == Kind::error_report && error.legal_next.empty()) error.legal_next.push_back(type.name);
    return error;
  }

  const AcceptMessage& command_;
  const Workspace& workspace_;
  const ErrorCases& errors_;
  const profile::ErrorPolicy& policy_;
  const std::vector<AgentNumber>& to_;
};

}  // namespace

base::Result<std::optional<event::ErrorMoved>> error_move(const AcceptMessage& command, const Workspace& workspace,
                                                          const std::vector<AgentNumber>& to) {
  if (!command.ruleset.errors || command.ruleset.type(command.type).is_private) return std::nullopt;
  const Follow follow(command, workspace, to);
  if (command.envelope.kind == Kind::error_report) return follow.reported();
  if (command.envelope.kind == Kind::request && !field(command.envelope, "decision").empty()) return follow.decided();
  return std::nullopt;
}

// A copy of the event: what is said moves the facts.
void tell_of_waiting(const Deciding& deciding, const AcceptMessage& command,
                     const event::MessageAccepted event,  // NOLINT(performance-unnecessary-value-param)
                     const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  const bool waits_already = !workspace.errors.of(command.sender).empty();
  if (!event.has_error_moved() || event.error_moved().errors_size() > 0 || waits_already) return;
  const Agent& sender = workspace.registry.agent(command.sender);
  for (const Offset offset : workspace.requests.awaited_from(command.sender, told_max)) {
    const Request& request = *workspace.requests.find(offset);
    const auto& to = event.recipients();
    const bool sees_it = std::binary_search(to.begin(), to.end(), request.asker.value);
    const profile::Ruleset* const rules = ruleset_of(workspace.registry.agent(request.asker).properties.profile);
    if (sees_it || request.asker == command.sender || event.answers() == offset.value || !rules) continue;
    Saying saying;
    saying.task = request.task;
    saying.reply_to = request.id.view();
    saying.error = event.error_moved().code();
    saying.from = command.sender;
    saying.text = quoted(sender.id) + " is " + event.error_moved().status() +
                  " and waits for a decision on its error " + quoted(event.message_id()) + ": before it, request " +
                  quoted(request.id.view()) + " may have no answer.";
    say(deciding, request.asker, *rules, profile::Occasion::agent_waits, saying);
  }
}

namespace {

void close(Workspace& workspace, Offset error) {
  for (const Offset message : workspace.errors.close(error)) workspace.messages.end(message);
}

}  // namespace

void apply_to_errors(Workspace& workspace, Offset offset, const event::MessageAccepted& event, Instant at) {
  if (!event.has_error_moved()) return;
  const event::ErrorMoved& moved = event.error_moved();
  const bool over = error_case::is_over(static_cast<ErrorState>(moved.state()));
  for (const std::uint64_t error : moved.errors())
    if (over) {
      close(workspace, Offset(error));
      workspace.messages.end(Offset(error));
    } else {
      workspace.errors.pass_on(Offset(error), {offset, {moved.status(), moved.blocked()}});
    }
  if (over || moved.errors_size() > 0) return;
  workspace.errors.add(offset, {.agent = AgentNumber(moved.agent()),
                                .id = base::PackedText(event.message_id()),
                                .task = base::excerpt(event.task(), task_bytes_max),
                                .code = moved.code(),
                                .severity = moved.severity(),
                                .text = moved.text(),
                                .reported = {moved.status(), moved.blocked()},
                                .at = at});
}

void withdraw_error(Workspace& workspace, Offset offset) {
  workspace.errors.take_back(offset);
  close(workspace, offset);
}

void withdraw_errors(Workspace& workspace, AgentNumber agent) {
  for (const Offset offset : absl::btree_set<Offset>(workspace.errors.of(agent))) close(workspace, offset);
}

}  // namespace parley::engine
