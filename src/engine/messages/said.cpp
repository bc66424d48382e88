#include "engine/messages/said.hpp"

#include <algorithm>

#include "base/excerpt.hpp"
#include "base/uuid.hpp"
#include "profile/said.hpp"

namespace parley::engine {
namespace {

constexpr std::size_t names_shown = 20;
constexpr std::size_t text_max = 1'000;  // SUP-08: what says why, in the profile that allows least

IdKey key_of(const profile::Ruleset& rules, const std::string& id, const std::string& recipient) {
  if (rules.idempotency_key == profile::IdempotencyKey::message) return id_key_of(id);
  return id_key_of(id, recipient + '\n');  // R7
}

}  // namespace

std::string made_id(const Context& context, std::uint64_t salt) {
  std::array<std::uint64_t, 3> words{context.seed, salt, static_cast<std::uint64_t>(base::unix_us(context.now))};
  return base::uuid_of({reinterpret_cast<const char*>(words.data()), sizeof words});
}

std::string names_of(const Registry& registry, const std::vector<AgentNumber>& agents) {
  std::string names;
  for (std::size_t i = 0; i < std::min(agents.size(), names_shown); ++i)
    names += (i > 0 ? ", '" : "'") + registry.agent(agents[i]).id + "'";
  return agents.size() > names_shown ? names + ", …" : names;
}

void say(const Deciding& deciding, AgentNumber to, const profile::Ruleset& rules, profile::Occasion occasion,
         const Saying& saying) {
  const auto& [decided, state, number, context] = deciding;
  const auto& said = rules.says[static_cast<std::size_t>(occasion)];
  const Workspace& workspace = deciding.workspace();
  const Agent& agent = workspace.registry.agent(to);
  if (!said || agent.removed) return;
  const std::uint64_t offset = decided.next_offset(number);
  const Agent* const from = saying.from == AgentNumber{} ? nullptr : &workspace.registry.agent(saying.from);
  const profile::Spoken spoken = profile::say(
      rules, occasion,
      {{{"uuid", made_id(context, offset)},
        {"number", std::to_string(offset), true},
        {"seconds", std::to_string(std::chrono::floor<std::chrono::seconds>(context.now).time_since_epoch().count())},
        {"time", base::to_rfc3339(context.now)},
        {"to", agent.id},
        {"to_type", agent.properties.agent_type},
        {"from", from ? from->id : std::string()},
        {"from_type", from ? from->properties.agent_type : std::string()},
        {"task", std::string(saying.task)},
        {"request", std::string(saying.reply_to)},
        {"silent", std::string(saying.silent)},
        {"error", std::string(saying.error)},
        {"text", base::excerpt(saying.text, text_max)},
        {"by", std::string(saying.by)},
        {"decision", std::string(saying.decision)},
        {"rationale", std::string(saying.rationale)},
        {"action", std::string(saying.action), true},
        {"cleanup", saying.cleanup ? "true" : "false", true},
        {"retries", std::to_string(saying.retries), true}}});
  Load& before = decided.notices_to(number, to);
  if (!has_room(workspace.settings, agent, spoken.message.size(), before, decided.leaving(number, to))) return;
  const std::uint64_t there = load_of(agent).messages + before.messages;
  const bool of_others =
      occasion == profile::Occasion::request_escalated || occasion == profile::Occasion::agent_silent;
  if (of_others && 2 * there >= workspace.settings.mailbox_messages) return;
  ++before.messages;
  before.bytes += spoken.message.size();

  const profile::MessageType& type = rules.type(said->type);
  const IdKey key = key_of(rules, spoken.id, agent.id);
  event::MessageAccepted& message = decided.message_accepted(decided.add(number));
  message.set_message_id(spoken.id);
  message.add_recipients(to.value);
  message.set_kind(static_cast<std::uint32_t>(type.kind));
  message.set_native_type(type.name);
  message.set_priority(static_cast<std::uint32_t>(said->priority));
  message.set_task(std::string(saying.task));
  message.set_reply_to(std::string(saying.reply_to));
  if (saying.task_error) *message.mutable_task_error() = *saying.task_error;
  if (!workspace.message_of(key)) message.set_id_key(key.data(), key.size());  // else somebody took it before
  decided.last().body = spoken.message;
}

}  // namespace parley::engine
