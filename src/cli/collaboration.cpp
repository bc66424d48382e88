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
  PARLEY_TRY(auto server, connect(options.online));
  std::string path = sdk::path_of(server.workspace, {"collaborations"});
  char before = '?';
  if (options.state != "all") path += std::exchange(before, '&') + ("state=" + sdk::escape(options.state));
  if (!options.agent.empty()) path += std::exchange(before, '&') + ("agent=" + sdk::escape(options.agent));
  PARLEY_TRY(auto text, all_pages(server.client, path, options.part));
  return show(context, sdk::Reply{200, std::move(text)}, {"offset", "closed_by"});
}

base::Result<Exit> show_collaboration(Context& context, const CollaborationOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  return show(context, server.client.get(sdk::path_of(server.workspace, {"collaborations", options.id})));
}

}  // namespace

Verb collaboration_verb() {
  auto options = std::make_shared<CollaborationOptions>();
  const auto common = workspace_options(options->online);
  const auto bound = [options](auto what) { return [options, what](Context& c) { return what(c, *options); }; };
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
