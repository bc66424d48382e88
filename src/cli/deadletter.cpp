// `parley deadletter`: messages whose attempts are spent: list them, look at one, send it on its way again, drop it.
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct DeadletterOptions {
  Online online;
  std::string delivery_id;
  bool all = false;
  Part part;
};

base::Result<Exit> list_dead_letters(Context& context, const DeadletterOptions& options) {
  return show_list(context, options.online, {"deadletters"}, options.part, {}, {"message", "notice", "history"});
}

base::Result<Exit> show_dead_letter(Context& context, const DeadletterOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  PARLEY_TRY(const auto text, all_pages(server.client, sdk::path_of(server.workspace, {"deadletters"}), whole));
  PARLEY_TRY(const auto document, json::Document::parse(text, answer_limits));
  json::Value found;
  for (const auto item : document.root().find("items").elements())  // of two of one name the newest, as in other calls
    if (item.find("delivery_id").if_string() == options.delivery_id) found = item;
  if (found) return show(context, sdk::Reply{200, json::to_text(found)});
  return base::fail(base::ErrorCode::NOT_FOUND, "no dead letter has the delivery_id " + options.delivery_id, {},
                    "`parley deadletter list` shows them.");
}

// One after the other, each by a call of its own: what the server refuses is told, and the others go on; where it is
// gone they do not.
base::Result<Exit> act_on_all(Context& context, Connected& server, std::string_view what) {
  PARLEY_TRY(const auto text, all_pages(server.client, sdk::path_of(server.workspace, {"deadletters"}), whole));
  PARLEY_TRY(const auto document, json::Document::parse(text, answer_limits));
  std::string answers;
  json::Writer out(answers);
  out.begin_object().key("items").begin_array();
  Exit exit = Exit::done;
  for (const auto item : document.root().find("items").elements()) {
    const auto id = item.find("delivery_id").if_string().value_or("");
    const auto reply = server.client.post(sdk::path_of(server.workspace, {"deadletters", id, what}), "{}");
    if (reply) {
      out.raw(reply->body);
      continue;
    }
    exit = exit_of(reply.error());
    out.begin_object().member("delivery_id", id).member("status", std::string_view("refused"));
    out.member("code", base::info(reply.error().code).name).member("message", reply.error().message).end_object();
    if (is_passing(reply.error())) break;
  }
  out.end_array().end_object();
  PARLEY_TRY(const Exit shown, show(context, sdk::Reply{200, std::move(answers)}));
  return shown == Exit::done ? exit : shown;
}

base::Result<Exit> act_on(Context& context, const DeadletterOptions& options, std::string_view what) {
  if (options.all == !options.delivery_id.empty()) return misuse("which dead letter? Give its delivery_id, or --all");
  PARLEY_TRY(auto server, connect(options.online));
  if (options.all) return act_on_all(context, server, what);
  return show(context,
              server.client.post(sdk::path_of(server.workspace, {"deadletters", options.delivery_id, what}), "{}"));
}

base::Result<Exit> redrive(Context& context, const DeadletterOptions& options) {
  return act_on(context, options, "redrive");
}

base::Result<Exit> discard(Context& context, const DeadletterOptions& options) {
  return act_on(context, options, "discard");
}

}  // namespace

Verb deadletter_verb() {
  auto options = std::make_shared<DeadletterOptions>();
  const auto common = admin_or_agent_options(options->online);
  const Option id{"delivery_id", "as the list shows it", &options->delivery_id, true};
  const Option one{"delivery_id", "as the list shows it", &options->delivery_id};
  const Option all{"--all", "all that the list shows", &options->all};
  const auto bound = bound_to(options);
  return {.name = "deadletter",
          .summary = "List and show dead letters; deliver them again, or drop them",
          .examples = {"parley deadletter list", "parley deadletter redrive DELIVERY_ID",
                       "parley deadletter discard --all --as developer-01"},
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
                     .options = std::vector<Option>{one, all} + common,
                     .run = bound(redrive)},
                    {.name = "discard",
                     .summary = "Drop a dead letter for good: its place in the mailbox is free again",
                     .options = std::vector<Option>{one, all} + common,
                     .run = bound(discard)}}};
}

}  // namespace parley::cli
