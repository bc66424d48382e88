// `parley rescind`: takes back a message of one's own; what was done with it stays done.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
namespace {

struct RescindOptions {
  Online online;
  std::string message_id, to, reason;
};

base::Result<Exit> rescind(Context& context, const RescindOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  PARLEY_TRY(const sdk::Reply reply, workspace.rescind(options.message_id, options.to, options.reason));
  if (context.json) return show(context, reply);
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const std::string items = R"({"items":)" + json::to_text(document.root().find("receipts")) + '}';
  return show(context, sdk::Reply{200, items}, {});
}

}  // namespace

Verb rescind_verb() {
  auto options = std::make_shared<RescindOptions>();
  return {
      .name = "rescind",
      .summary = "Take back a message of your own, and show who has it already",
      .examples = {"parley rescind --as architect-main MESSAGE_ID --reason \"the repository moved\""},
      .options = std::vector<Option>{{"message_id", "id of the message", &options->message_id, true},
                                     {"--to NAME", "recipient of that message, if several share the id", &options->to},
                                     {"--reason", "why, for those who have it", &options->reason}} +
                 agent_options(options->online),
      .run = [options](Context& context) { return rescind(context, *options); }};
}

}  // namespace parley::cli
