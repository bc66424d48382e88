// `parley check`: whether what an agent has got is still to be acted upon.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct CheckOptions {
  Online online;
  std::vector<std::string> delivery_ids, message_ids;
};

// Exit status 1 where anything is not current, so that a script stops there.
base::Result<Exit> check(Context& context, const CheckOptions& options) {
  if (options.delivery_ids.empty() && options.message_ids.empty())
    return misuse("there is nothing to check: give the id of a delivery, or of a message with --message");
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  const std::vector<std::string_view> deliveries(options.delivery_ids.begin(), options.delivery_ids.end());
  const std::vector<std::string_view> messages(options.message_ids.begin(), options.message_ids.end());
  PARLEY_TRY(const sdk::Reply reply, workspace.check(options.online.wanted.agent, deliveries, messages));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const json::Value results = document.root().find("results");
  bool current = true;
  for (const auto one : results.elements()) current = current && one.find("status").if_string() == "current";
  const std::string items = R"({"items":)" + json::to_text(results) + '}';
  PARLEY_TRY(const Exit shown, show(context, context.json ? reply : sdk::Reply{200, items}, {}));
  return current ? shown : Exit::refused;
}

}  // namespace

Verb check_verb() {
  auto options = std::make_shared<CheckOptions>();
  return {.name = "check",
          .summary = "Ask whether deliveries or messages are still to be acted upon",
          .examples = {"parley check --as developer-01 DELIVERY_ID && deploy"},
          .options = std::vector<Option>{{"delivery_id", "as `parley wait` printed it", &options->delivery_ids},
                                         {"--message MESSAGE_ID", "a message's id in place of a delivery's",
                                          &options->message_ids}} +
                     agent_options(options->online),
          .run = [options](Context& context) { return check(context, *options); }};
}

}  // namespace parley::cli
