// BEY-02: who may act for an assigner that was removed is found in a large team too.
#include "engine/tasks/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "profile/rulesets.hpp"

namespace parley::engine {
namespace {

constexpr WorkspaceNumber workspace{1};
constexpr AgentNumber assigner{1}, assignee{2};

const profile::Ruleset& collab() {
  static const profile::Rulesets all = profile::built_in();
  return *all.find("collab");
}

// Architects register before developers, and come after them by name.
class Team {
 public:
  Team(int architects, int developers) : engine_([](std::string_view) { return &collab(); }) {
    decide(CreateWorkspace{"team", {}});
    add("architect", "boss");
    add("developer", "worker");
    for (int i = 0; i < architects; ++i) add("architect", "z" + std::to_string(i));
    for (int i = 0; i < developers; ++i) add("developer", "a" + std::to_string(i));
    assign();
    decide(RemoveAgent{workspace, assigner});
  }
  const Workspace& team() const { return engine_.state().workspace(workspace); }
  const Task& task() const { return team().tasks.at(*team().tasks.find("work")); }

  std::vector<std::string> who_may() const {
    std::vector<std::string> ids;
    for (const AgentNumber agent : who_may_move(team(), task(), collab()))
      ids.push_back(team().registry.agent(agent).id);
    return ids;
  }

 private:
  void add(const std::string& role, const std::string& id) {
    decide(RegisterAgent{workspace, id, {.profile = "collab", .agent_type = role}, base::sha256(id)});
  }
  void assign() {
    envelope::Envelope order;
    order.message_id = "order";
    order.kind = envelope::Kind::task_assign;
    order.task = "work";
    order.recipients = {"worker"};
    decide(AcceptMessage{.workspace = workspace,
                         .sender = assigner,
                         .envelope = order,
                         .ruleset = collab(),
                         .type = *collab().type_named("task_assignment"),
                         .lane = {},
                         .id_key = id_key_of(order.message_id),
                         .length = 100,
                         .warnings = {},
                         .validation_errors = {}});
  }
  template <class Command>
  void decide(const Command& command) {
    Decided decided(engine_.state());
    if (const auto done = engine_.decide(command, {now_, ++seed_}, decided); !done)
      ADD_FAILURE() << done.error().message;
    for (const Fact& fact : decided.facts()) engine_.apply(fact.event, {Position(++position_), now_, 100, {}});
  }

  Engine engine_;
  Instant now_ = base::instant_of(1'770'109'200'000'000);
  std::uint64_t seed_ = 0, position_ = 0;
};

TEST(StandIns, AreFoundBehindVeryManyWhoseRoleSendsNothingOfIt) {
  EXPECT_THAT(Team(1, 900).who_may(), testing::ElementsAre("worker", "z0"));
}

TEST(StandIns, OnlyTheFirstFewAreNamed) {
  EXPECT_THAT(Team(9, 3).who_may(), testing::ElementsAre("worker", "z0", "z1", "z2", "z3", "z4"));
}

TEST(StandIns, EachMaySendSomething) {
  const Team team(3, 3);
  for (const AgentNumber agent : who_may_move(team.team(), team.task(), collab()))
    EXPECT_THAT(legal_next(team.team(), team.task(), collab(), agent), testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace parley::engine
