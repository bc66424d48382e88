// `parley deadletter`: messages whose attempts are spent: list them, look at one, send it on its way again.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct DeadletterOptions {
  Online online;
  std::string delivery_id;
  Part part;
};

base::Result<Exit> list_dead_letters(Context& context, const DeadletterOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(auto text, all_pages(server.client, sdk::path_of(server.workspace, {"deadletters"}), options.part));
  return show(context, sdk::Reply{200, std::move(text)}, {"message", "notice", "history"});
}

base::Result<Exit> show_dead_letter(Context& context, const DeadletterOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(const auto text, all_pages(server.client, sdk::path_of(server.workspace, {"deadletters"}), whole));
  PARLEY_TRY(const auto document, json::Document::parse(text, {.bytes = 256 << 20, .elements = 10'000'000}));
  for (const auto item : document.root().find("items").elements())
    if (item.find("delivery_id").if_string() == options.delivery_id)
      return show(context, sdk::Reply{200, json::to_text(item)});
  return base::fail(base::ErrorCode::NOT_FOUND, "no dead letter has the delivery_id " + options.delivery_id, {},
                    "`parley deadletter list` shows them.");
}

base::Result<Exit> redrive(Context& context, const DeadletterOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  return show(context, server.client.post(
                           sdk::path_of(server.workspace, {"deadletters", options.delivery_id, "redrive"}), "{}"));
}

}  // namespace

Verb deadletter_verb() {
  auto options = std::make_shared<DeadletterOptions>();
  const auto common =
      std::vector<Option>{{"--as", "the agent to act as (else the admin)", &options->online.wanted.agent}} +
      workspace_options(options->online);
  const Option id{"delivery_id", "as the list shows it", &options->delivery_id, true};
  const auto bound = [options](auto what) { return [options, what](Context& c) { return what(c, *options); }; };
  return {.name = "deadletter",
          .summary = "List dead letters, look at one, try it again",
          .examples = {"parley deadletter list", "parley deadletter redrive DELIVERY_ID"},
          .verbs = {{.name = "list",
                     .summary = "List the dead letters",
                     .options = part_options(options->part) + common,
                     .run = bound(list_dead_letters)},
                    {.name = "show",
                     .summary = "Show one dead letter with its history",
                     .options = std::vector<Option>{id} + common,
                     .run = bound(show_dead_letter)},
                    {.name = "redrive",
                     .summary = "Put a dead letter back into its mailbox",
                     .options = std::vector<Option>{id} + common,
                     .run = bound(redrive)}}};
}

}  // namespace parley::cli
