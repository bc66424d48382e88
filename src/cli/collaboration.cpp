// `parley collaboration`: who works together on what, and what was said.
#include "cli/online.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct CollaborationOptions {
  Online online;
  std::string id, agent;
  std::string state = "open";
  Part part;
};

base::Result<Exit> list_collaborations(Context& context, const CollaborationOptions& options) {
  return show_list(context, options.online, {"collaborations"}, options.part,
                   {{"state", unless_all(options.state)}, {"agent", options.agent}}, {"offset", "closed_by"});
}

base::Result<Exit> show_collaboration(Context& context, const CollaborationOptions& options) {
  return show_one(context, options.online, {"collaborations", options.id});
}

}  // namespace

Verb collaboration_verb() {
  auto options = std::make_shared<CollaborationOptions>();
  const auto common = workspace_options(options->online);
  const auto bound = bound_to(options);
  return {
      .name = "collaboration",
      .summary = "Show who works together on what: list, show",
      .examples = {"parley collaboration list", "parley collaboration show COLLABORATION_ID"},
      .verbs = {
          {.name = "list",
           .summary = "List collaborations",
           .options =
               std::vector<Option>{
                   {"--state STATE", "only those in this state", &options->state, false, {"open", "closed", "all"}},
                   {"--agent NAME", "only those this agent takes part in", &options->agent}} +
               part_options(options->part) + common,
           .run = bound(list_collaborations)},
          {.name = "show",
           .summary = "Show one, with what was said in it",
           .options = std::vector<Option>{{"collaboration_id", "as the list shows it", &options->id, true}} + common,
           .run = bound(show_collaboration)}}};
}

}  // namespace parley::cli
