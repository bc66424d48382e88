// Dead letters: what nobody took in spite of all its attempts (HND-09); listed, tried again, discarded.
#include <charconv>
#include <ranges>

#include "base/quoted.hpp"
#include "broker/delivery_calls.hpp"
#include "broker/list_page.hpp"
#include "broker/rights.hpp"
#include "broker/shapes.hpp"

namespace parley::broker {
namespace {

using base::ErrorCode;

// "dead-<offset>-<agent id>": no delivery's name, so that neither is taken for the other.
constexpr std::string_view dead_prefix = "dead-";

std::string dead_letter_id(base::Offset offset, std::string_view agent) {
  return std::string(dead_prefix).append(std::to_string(offset.value)).append(1, '-').append(agent);
}

struct DeadLetterName {
  base::Offset offset;
  std::string_view agent;  // empty: the text is no such name
};

DeadLetterName parse_dead_letter(std::string_view text) {
  DeadLetterName name;
  if (!text.starts_with(dead_prefix)) return {};
  const char* const end = text.data() + text.size();
  const auto offset = std::from_chars(text.data() + dead_prefix.size(), end, name.offset.value);
  if (offset.ec != std::errc() || offset.ptr == end || *offset.ptr != '-') return {};
  name.agent = {offset.ptr + 1, end};
  return name;
}

// Which of a message's recipients had this id; 0: none. One may be registered under it again since, and be a recipient
// too: the newest where it is dead, else the newest.
base::AgentNumber recipient_of(const engine::Workspace& workspace, const DeadLetterName& letter) {
  const engine::Message* const message = workspace.messages.find(letter.offset);
  base::AgentNumber found;
  if (message)
    for (const engine::Receipt& receipt : std::views::reverse(message->receipts)) {
      if (workspace.registry.agent(receipt.agent).id != letter.agent) continue;
      if (receipt.state == engine::ReceiptState::dead) return receipt.agent;
      if (found == base::AgentNumber{}) found = receipt.agent;
    }
  return found;
}

struct DeadLetterAt {
  base::WorkspaceNumber workspace;
  base::AgentNumber agent;
  base::Offset offset;
};

// What `id` names, where the caller may do something about it: its recipient, and who manages the workspace.
base::Result<DeadLetterAt> dead_letter_at(const engine::State& state, const Caller& caller,
                                          std::string_view workspace_name, std::string_view id) {
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const DeadLetterName letter = parse_dead_letter(id);
  const base::AgentNumber agent = recipient_of(state.workspace(number), letter);
  const bool own = caller.kind == Caller::Kind::agent && caller.id == letter.agent &&
                   (agent == base::AgentNumber{} || agent == caller.agent);
  if (!own && !may(state, caller, number, Right::manage))
    return base::fail(ErrorCode::FORBIDDEN,
                      base::quoted(caller.id) + " may neither redrive nor discard another agent's dead letters",
                      "delivery_id");
  if (agent == base::AgentNumber{})
    return base::fail(ErrorCode::NOT_FOUND, "no dead letter " + base::quoted(id) + " is here", "delivery_id");
  return DeadLetterAt{number, agent, letter.offset};
}

Answer dead_letter_answer(std::string_view id, std::string_view status) {
  Answer answer;
  json::Writer(answer.json).begin_object().member("delivery_id", id).member("status", status).end_object();
  return answer;
}

}  // namespace

base::Result<Answer> DeliveryCalls::dead_letters(const Caller& caller, std::string_view workspace_name,
                                                 const Page& page) {
  const engine::State& state = core_.state();
  PARLEY_TRY(const base::WorkspaceNumber number, enter(state, caller, workspace_name, Right::read));
  const engine::Workspace& workspace = state.workspace(number);
  ListPage list(page.limit, &core_.history());
  std::string last;
  // Cursor: "<offset>-<agent number>"; the list goes by agent, then offset.
  const engine::DeliveryId after = parse_delivery(page.after);
  if (!page.after.empty() && after.offset == base::Offset{})
    return base::fail(ErrorCode::BAD_CURSOR, base::quoted(page.after) + " is no cursor of this list", "?after");
  const bool all = may(state, caller, number, Right::oversee);
  for (std::uint32_t i = std::max(1u, after.epoch); i <= workspace.registry.agents.size(); ++i) {
    const engine::Agent& agent = workspace.registry.agent(base::AgentNumber(i));
    const bool own = caller.kind == Caller::Kind::agent && caller.agent == base::AgentNumber(i);
    if (!own && !all) continue;
    const auto& letters = agent.dead_letters;
    for (auto at = i == after.epoch ? letters.upper_bound(after.offset) : letters.begin(); at != letters.end(); ++at) {
      const auto& [offset, letter] = *at;
      const engine::Message& message = workspace.messages.at(offset);
      if (!list.takes(message.length)) return list.end(last);
      last = delivery_id(offset, i);
      list.writer.begin_object().member("delivery_id", dead_letter_id(offset, agent.id)).member("agent", agent.id);
      list.writer.member("offset", offset.value);
      list.writer.member("message_id", message.id.view()).member("reason", letter.reason);
      list.writer.member("dead_at", base::to_rfc3339(letter.at)).key("history").begin_array();
      for (const engine::Attempt& attempt : letter.history) {
        list.writer.begin_object().member("at", base::to_rfc3339(attempt.at)).member("offer", attempt.epoch);
        list.writer.member("what", attempt.what);
        list.writer.member("reason", attempt.reason ? std::string_view(*attempt.reason) : "").end_object();
      }
      list.writer.end_array();
      PARLEY_TRY(const std::string_view body, core_.history().body(message.position));
      list.writer.key("message").raw(body).end_object();
    }
  }
  return list.end();
}

base::Result<Answer> DeliveryCalls::redrive(const Caller& caller, std::string_view workspace, std::string_view id) {
  PARLEY_TRY(const DeadLetterAt at, dead_letter_at(core_.state(), caller, workspace, id));
  PARLEY_CHECK(core_.decide_for(caller, engine::RedriveMessage{at.workspace, at.agent, at.offset}));
  return dead_letter_answer(id, "queued");
}

// It makes room: it is not refused where new messages already are.
base::Result<Answer> DeliveryCalls::discard(const Caller& caller, std::string_view workspace, std::string_view id) {
  PARLEY_TRY(const DeadLetterAt at, dead_letter_at(core_.state(), caller, workspace, id));
  PARLEY_CHECK(
      core_.decide_for(caller, engine::DiscardDeadLetter{at.workspace, at.agent, at.offset}, journal::Need::work));
  return dead_letter_answer(id, "discarded");
}

}  // namespace parley::broker
