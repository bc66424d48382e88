#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "profile/ruleset.hpp"

namespace parley::engine {
namespace {

// R38: a journal may have agents of a type that was a role, or open, when they were registered.
TEST(Agents, keep_a_type_that_is_no_role_any_more) {
  profile::Ruleset rules;
  rules.name = "supervisor";
  rules.roles = {"worker"};
  rules.roles_open = true;
  Engine engine([&rules](std::string_view) { return &rules; });
  Decided decided(engine.state());
  std::uint64_t position = 0;
  const auto decide = [&](const auto& command) {
    auto outcome = engine.decide(command, Context{Instant(base::Duration(1)), position}, decided);
    for (const Fact& fact : decided.facts())
      engine.apply(fact.event, {base::Position(++position), Instant(base::Duration(1)), 0, base::Digest{}});
    decided.clear();
    return outcome;
  };
  constexpr WorkspaceNumber workspace{1};
  const auto change = [&](AgentProperties to) { return decide(ChangeAgent{workspace, AgentNumber(1), std::move(to)}); };

  ASSERT_TRUE(decide(CreateWorkspace{"team", {}}));
  const AgentProperties cook{.profile = "supervisor", .agent_type = "chef"};
  ASSERT_TRUE(decide(RegisterAgent{workspace, "cook", cook, {}}));
  rules.roles_open = false;
  EXPECT_FALSE(decide(RegisterAgent{workspace, "other", cook, {}}));
  EXPECT_TRUE(decide(RegisterAgent{workspace, "cook", cook, {}})) << "as it is already";
  EXPECT_TRUE(change({.profile = "supervisor", .agent_type = "chef", .max_load = 5}));
  EXPECT_FALSE(change({.profile = "supervisor", .agent_type = "waiter"}));
  EXPECT_TRUE(change({.profile = "supervisor", .agent_type = "worker"}));
  EXPECT_FALSE(change(cook)) << "it is a role no more, and was given up";
}

}  // namespace
}  // namespace parley::engine
