// `parley runner`: the keys of runners, whose signatures a workspace believes (BEY-05). The secret half stays in its
// file.
#include <ostream>

#include "base/clock.hpp"
#include "base/signing_key.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct RunnerOptions {
  Online online;
  Part part;
  std::string id, file, key, public_key;
  base::Duration valid{};
};

void print_half(const Context& context, const std::string& file, const base::PublicKey& half) {
  std::string text;
  json::Writer out(text);
  out.begin_object().member("file", file).member("public_key", base::to_text(half)).end_object();
  if (context.json) return print_json(context.terminal, text);
  context.terminal.out << "The secret half is in " << printable(file) << ", which nobody else may read.\n"
                       << "public key  " << base::to_text(half) << '\n';
}

base::Result<Exit> make_key(Context& context, const RunnerOptions& options) {
  const base::SigningKey key = base::SigningKey::fresh();
  PARLEY_CHECK(key.write(options.file));
  print_half(context, options.file, key.public_half());
  return Exit::done;
}

// Of the key in the file, where one is named: the public half alone is sent.
base::Result<std::string> public_half(const RunnerOptions& options) {
  if (options.key.empty() == options.public_key.empty())
    return misuse("a runner is known by one key",
                  "Name its public half with --public-key, or with --key the file that `parley runner key` made.");
  if (options.key.empty()) return options.public_key;
  PARLEY_TRY(const base::SigningKey key, base::SigningKey::read(options.key));
  return base::to_text(key.public_half());
}

base::Result<Exit> add(Context& context, const RunnerOptions& options) {
  PARLEY_TRY(const std::string half, public_half(options));
  PARLEY_TRY(auto server, connect(options.online));
  std::string body;
  json::Writer out(body);
  out.begin_object().member("runner_id", options.id).member("public_key", half);
  if (options.valid > base::Duration{})
    out.member("valid_until", base::to_rfc3339(base::SystemClock().wall() + options.valid));
  out.end_object();
  return show(context, server.client.post(sdk::path_of(server.workspace, {"runners"}), body));
}

base::Result<Exit> list(Context& context, const RunnerOptions& options) {
  return show_list(context, options.online, {"runners"}, options.part);
}

base::Result<Exit> revoke(Context& context, const RunnerOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  return show(context, server.client.remove(sdk::path_of(server.workspace, {"runners", options.id})));
}

}  // namespace

Verb runner_verb() {
  auto options = std::make_shared<RunnerOptions>();
  const auto common = workspace_options(options->online);
  const auto bound = bound_to(options);
  const Option id{"runner_id", "the runner", &options->id, true};
  return {.name = "runner",
          .summary = "Make, register, list and revoke the keys that results of checks are signed with",
          .examples = {"parley runner key ci.pem", "parley runner add ci --key ci.pem"},
          .verbs = {{.name = "key",
                     .summary = "Make a key file, and print the public half",
                     .options = {{"file", "file to make; it must not exist", &options->file, true}},
                     .run = bound(make_key)},
                    {.name = "add",
                     .summary = "Register a runner with the public half of its key",
                     .examples = {"parley runner add ci --key ci.pem --valid 90d"},
                     .options =
                         std::vector<Option>{
                             id,
                             {"--key FILE", "file with its key; only the public half is sent", &options->key},
                             {"--public-key KEY", "or the public half itself", &options->public_key},
                             {"--valid", "how long the key is valid (default: until it is revoked)", &options->valid}} +
                         common,
                     .run = bound(add)},
                    {.name = "list",
                     .summary = "List the runners",
                     .options = part_options(options->part) + common,
                     .run = bound(list)},
                    {.name = "revoke",
                     .summary = "Stop believing what a runner signs",
                     .options = std::vector<Option>{id} + common,
                     .run = bound(revoke)}}};
}

}  // namespace parley::cli
