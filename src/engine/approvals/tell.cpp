#include "engine/approvals/tell.hpp"

#include "engine/messages/notice.hpp"

namespace parley::engine {
namespace {

using machine::approval::Party;

std::vector<AgentNumber> members_of(Party party, const Approval& approval) {
  if (party == Party::recipients) return approval.told;
  if (party == Party::asker && approval.asker != AgentNumber{}) return {approval.asker};
  return {};
}

}  // namespace

void tell(const Deciding& deciding, Offset offset, const machine::approval::Move& move, Saying saying,
          const RulesetOf& ruleset_of) {
  const Workspace& workspace = deciding.workspace();
  const Approval& approval = *workspace.approvals.find(offset);
  saying.task = approval.task;
  saying.reply_to = approval.id.view();
  for (const auto& told : move.tells) {
    if (told.occasion.empty()) continue;
    const profile::Occasion occasion = *profile::occasion_named(told.occasion);
    for (const AgentNumber agent : members_of(told.who, approval)) {
      const profile::Ruleset* const rules = ruleset_of(workspace.registry.agent(agent).properties.profile);
      if (rules && rules->says[static_cast<std::size_t>(occasion)])
        say(deciding, agent, *rules, occasion, saying);
      else
        post_notice(
            deciding, agent,
            {.code = told.occasion, .about = {offset}, .agents = {}, .reason = saying.text, .id = approval.id.view()});
    }
  }
}

}  // namespace parley::engine
