// `parley inbox`: looks into a mailbox and changes nothing.
#include "cli/online.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct InboxOptions {
  Online online;
  Part part;
};

base::Result<Exit> look(Context& context, const InboxOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(auto text,
             all_pages(server.client, sdk::path_of(server.workspace, {"agents", options.online.wanted.agent, "inbox"}),
                       options.part));
  return show(context, sdk::Reply{200, std::move(text)}, {"message", "notice"});
}

}  // namespace

Verb inbox_verb() {
  auto options = std::make_shared<InboxOptions>();
  return {.name = "inbox",
          .summary = "Look into a mailbox; nothing is taken",
          .examples = {"parley inbox --as developer-01"},
          .options = part_options(options->part) + agent_options(options->online),
          .run = [options](Context& context) { return look(context, *options); }};
}

}  // namespace parley::cli
