// `parley review`: who was asked to judge what, what was found, what a revision carries.
#include "cli/online.hpp"
#include "cli/run_checks.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct ReviewOptions {
  Online online;
  std::string id, task;
  std::string state = "all";
  Part part;
};

base::Result<Exit> list_reviews(Context& context, const ReviewOptions& options) {
  return show_list(context, options.online, {"reviews"}, options.part,
                   {{"state", unless_all(options.state)}, {"task", options.task}}, {"required", "checks", "offset"});
}

base::Result<Exit> show_review(Context& context, const ReviewOptions& options) {
  return show_one(context, options.online, {"reviews", options.id});
}

base::Result<Exit> findings(Context& context, const ReviewOptions& options) {
  return show_one(context, options.online, {"tasks", options.task, "findings"});
}

}  // namespace

Verb review_verb() {
  auto options = std::make_shared<ReviewOptions>();
  const auto common = admin_or_agent_options(options->online);
  const auto bound = bound_to(options);
  return {.name = "review",
          .summary = "List and show reviews and their findings; run the checks that a review asks for",
          .examples = {"parley review list --state requested", "parley review run-checks request.json --in ~/work"},
          .verbs = {
              {.name = "list",
               .summary = "List the reviews of the workspace",
               .options = std::vector<Option>{{"--state STATE",
                                               "only those in this state",
                                               &options->state,
                                               false,
                                               {"all", "requested", "approved", "changes_requested", "rejected",
                                                "lapsed", "withdrawn", "escalated", "forced", "exhausted"}},
                                              {"--task TASK_ID", "only those of this task", &options->task}} +
                          part_options(options->part) + common,
               .run = bound(list_reviews)},
              {.name = "show",
               .summary = "Show one review, its messages, and what a revision carries",
               .options = std::vector<Option>{{"review_id", "id of the review, from its request", &options->id, true}} +
                          common,
               .run = bound(show_review)},
              {.name = "findings",
               .summary = "Show what the reviews of a task found, and what was fixed when",
               .options = std::vector<Option>{{"task_id", "id of the task", &options->task, true}} + common,
               .run = bound(findings)},
              run_checks_verb()}};
}

}  // namespace parley::cli
