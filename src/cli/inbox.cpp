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
  return show_list(context, options.online, {"agents", options.online.wanted.agent, "inbox"}, options.part, {},
                   {"message", "notice"});
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
