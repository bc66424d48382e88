// `parley help-request`: who needs help, who was asked, and what was answered.
#include "cli/online.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct HelpOptions {
  Online online;
  std::string id, agent;
  std::string state = "waiting";
  Part part;
};

base::Result<Exit> list_help_requests(Context& context, const HelpOptions& options) {
  return show_list(context, options.online, {"help"}, options.part,
                   {{"state", unless_all(options.state)}, {"agent", options.agent}},
                   {"offset", "helpers", "answers", "moved_at"});
}

base::Result<Exit> show_help_request(Context& context, const HelpOptions& options) {
  return show_one(context, options.online, {"help", options.id});
}

}  // namespace

Verb help_request_verb() {
  auto options = std::make_shared<HelpOptions>();
  const auto common = workspace_options(options->online);
  const auto bound = bound_to(options);
  return {.name = "help-request",
          .summary = "Show who needs help and who was asked: list, show",
          .examples = {"parley help-request list", "parley help-request show HELP_ID"},
          .verbs = {{.name = "list",
                     .summary = "List requests for help",
                     .options = std::vector<Option>{{"--state STATE",
                                                     "only those in this state",
                                                     &options->state,
                                                     false,
                                                     {"waiting", "all", "asked", "open", "together", "answered",
                                                      "unhelped", "expired", "withdrawn"}},
                                                    {"--agent NAME", "only those in which this agent asks or is asked",
                                                     &options->agent}} +
                                part_options(options->part) + common,
                     .run = bound(list_help_requests)},
                    {.name = "show",
                     .summary = "Show one, with its answers and their resources",
                     .options = std::vector<Option>{{"help_id", "as the list shows it", &options->id, true}} + common,
                     .run = bound(show_help_request)}}};
}

}  // namespace parley::cli
