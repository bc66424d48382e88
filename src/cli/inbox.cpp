// `parley inbox`: looks into a mailbox and changes nothing.
#include "cli/online.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

struct InboxOptions {
  Online online;
  std::uint32_t limit = 100;
};

base::Result<Exit> look(Context& context, const InboxOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(auto text,
             all_pages(server.client, sdk::path_of(server.workspace, {"agents", options.online.wanted.agent, "inbox"}),
                       options.limit));
  return show(context, sdk::Reply{200, std::move(text)}, {"message", "notice"});
}

}  // namespace

Verb inbox_verb() {
  auto options = std::make_shared<InboxOptions>();
  return {.name = "inbox",
          .summary = "Look into a mailbox; nothing is taken",
          .examples = {"parley inbox --as developer-01"},
          .options =
              std::vector<Option>{{"-n,--limit", "how many at most", &options->limit}} + agent_options(options->online),
          .run = [options](Context& context) { return look(context, *options); }};
}

}  // namespace parley::cli
