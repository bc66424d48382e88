// The engine of one explored state, asked as a broker asks it: decided, and, unless a fault is planted between, applied
// as decided. Time is the model's. Value type but for the engine.
#pragma once
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "engine/engine.hpp"
#include "engine/test_consistency.hpp"
#include "explorer.hpp"
#include "json/parser.hpp"
#include "profile/ruleset.hpp"

namespace parley::models {

using base::AgentNumber;
using base::Instant;
using base::Offset;
using base::WorkspaceNumber;

inline constexpr WorkspaceNumber team{1};

// A field as ingress finds it in a message; what it says lives as long as the program.
inline envelope::Field field_of(std::string_view name, std::string json) {
  thread_local std::map<std::string, json::Document, std::less<>> said;
  auto at = said.find(json);
  if (at == said.end()) at = said.emplace(json, json::Document::parse(json).value()).first;
  return {name, at->second.root(), std::move(json), true};
}

// A state as the explorer keeps it.
struct Saved {
  std::string engine;  // its snapshot
  Instant now;
  std::string trail;  // the events of the step that led here, for a replay
};

class World {
 public:
  explicit World(const profile::Ruleset& rules)
      : rules_(rules), engine_([this](std::string_view) { return &rules_; }), decided_(engine_.state()) {}
  World(const World&) = delete;

  // INV-11, INV-12.
  void check(const Saved& saved, Findings& findings) {
    findings.require(engine_.save() == saved.engine, 12, "a snapshot that was loaded is saved as another");
    for (const std::string& defect : engine::inconsistencies(engine_.state())) findings.require(false, 11, defect);
  }
  void load(const Saved& saved) {
    (void)engine_.load(saved.engine);
    now = saved.now;
    trail_.clear();
    decided_.clear();
  }
  Saved save() const { return {engine_.save(), now, trail_}; }

  template <class Command>
  auto decide(const Command& command) {
    decided_.clear();
    return engine_.decide(command, context(), decided_);
  }

  void create_team(engine::Settings settings) {
    settings.rate_messages = 0;
    (void)decide(engine::CreateWorkspace{"team", settings});
    apply();
  }
  void enrol(const std::string& id, engine::AgentProperties properties = {}) {
    properties.profile = rules_.name;
    (void)decide(engine::RegisterAgent{team, id, properties, base::sha256(std::to_string(agents()))});
    apply();
  }
  // The first of the profile's types of this kind.
  std::optional<profile::TypeIndex> type_of(envelope::Kind kind) const {
    for (std::size_t i = 0; i < rules_.types.size(); ++i)
      if (rules_.types[i].kind == kind) return profile::TypeIndex(static_cast<std::uint16_t>(i));
    return std::nullopt;
  }
  engine::AcceptMessage command(AgentNumber sender, const envelope::Envelope& envelope) const {
    return {.workspace = team,
            .sender = sender,
            .envelope = envelope,
            .ruleset = rules_,
            .type = *type_of(envelope.kind),
            .lane = {},
            .id_key = engine::id_key_of(envelope.message_id),
            .length = 100,
            .warnings = {},
            .validation_errors = {}};
  }
  base::Result<engine::Accepted> accept(AgentNumber sender, envelope::Envelope envelope) {
    envelope.native_type = rules_.type(*type_of(envelope.kind)).name;
    return decide(command(sender, envelope));
  }

  // Of what is unfinished: all mail of an agent that left, or one of its tasks.
  void decide_due() {
    decided_.clear();
    bool mail = false;
    for (const auto& [workspace, number] : state().unfinished.leaving) mail = mail || agent(number).open_messages > 0;
    engine_.decide_unfinished(mail ? 1'000 : 1, context(), decided_);
    if (decided_.empty()) engine_.decide_due(context(), decided_);
  }
  std::span<engine::Fact> facts() { return decided_.facts(); }
  bool decided_nothing() const { return decided_.empty(); }

  void apply() {
    for (const engine::Fact& fact : decided_.facts()) {
      const auto length = static_cast<std::uint32_t>(fact.has_native_body ? 100 : fact.body.size());
      engine_.apply(fact.event, placed(now, length));
      note(fact.event, length);
    }
    decided_.clear();
  }
  // Whether the events of a path, applied to an empty engine, give its last state (INV-12).
  bool gives(const std::vector<std::string>& trails, const Saved& saved) const {
    World other(rules_);
    for (const std::string& trail : trails) other.replay(trail);
    return other.engine().save() == saved.engine;
  }
  void replay(std::string_view trail) {
    while (!trail.empty()) {
      std::int64_t head[3];
      std::memcpy(head, trail.data(), sizeof head);
      event::Event event;
      (void)event.ParseFromArray(trail.data() + sizeof head, static_cast<int>(head[0]));
      engine_.apply(event, placed(base::instant_of(head[1]), static_cast<std::uint32_t>(head[2])));
      trail.remove_prefix(sizeof head + static_cast<std::size_t>(head[0]));
    }
  }

  const engine::Engine& engine() const { return engine_; }
  const engine::State& state() const { return engine_.state(); }
  const profile::Ruleset& rules() const { return rules_; }
  const engine::Workspace& workspace() const { return engine_.state().workspace(team); }
  const engine::Registry& registry() const { return workspace().registry; }
  const engine::Agent& agent(AgentNumber number) const { return registry().agent(number); }
  std::uint32_t agents() const { return static_cast<std::uint32_t>(registry().agents.size()); }
  bool present(AgentNumber number) const { return number != AgentNumber{} && !agent(number).removed; }

  // Time goes on to what is due next; the turn that does it is a step of its own, so that messages may come before.
  bool is_due() const { return engine_.next_due() && *engine_.next_due() <= now; }
  bool waits() const { return engine_.next_due().has_value(); }
  template <class Arrive>
  bool comes_to_look(const Arrive& arrive) {
    if (!waits() || is_due()) return is_due();
    now = *engine_.next_due();
    arrive("time passes", true);
    return false;
  }

  Instant now = base::instant_of(1'770'109'200'000'000);

 private:
  engine::Context context() const { return {now, 7}; }
  // Where in the journal an event stands matters to nobody here.
  static engine::Placed placed(Instant at, std::uint32_t length) { return {base::Position(1), at, length, {}}; }
  void note(const event::Event& event, std::uint32_t length) {
    const std::string bytes = event.SerializeAsString();
    const std::int64_t head[3] = {static_cast<std::int64_t>(bytes.size()), base::unix_us(now), length};
    trail_.append(reinterpret_cast<const char*>(head), sizeof head).append(bytes);
  }

  const profile::Ruleset& rules_;
  engine::Engine engine_;
  engine::Decided decided_;
  std::string trail_;
};

// What makes two states one: numbers, one after the other. Times go in as what is left until then, and none below 0;
// offsets and ids of messages as their rank among those that matter.
class Key {
 public:
  Key& add(std::int64_t number) {
    while (number >= 0x7f || number < 0) {  // small ones in a byte
      text_ += static_cast<char>(0x80 | (number & 0x7f));
      number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) >> 7);
    }
    text_ += static_cast<char>(number);
    return *this;
  }
  Key& left(Instant until, Instant now) { return add(std::max<std::int64_t>(0, (until - now).count())); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace parley::models
