// `parley tail`: the log in offset order, and on as it grows.
#include <algorithm>
#include <iterator>
#include <ostream>

#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

struct TailOptions {
  Online online;
  std::uint64_t from = 0;  // 0: the newest
  std::optional<std::uint32_t> max;
  bool follow = false;
};

// Told in other columns, or only in --json.
bool is_left_out(std::string_view member) {
  constexpr std::string_view left_out[] = {"offset",  "logged_at", "event",
                                           "message", "notice",    "processing_duration_ms"};
  return std::ranges::find(left_out, member) != std::end(left_out);
}

// Offset, time and event first, then the other members as name=value; of lists of problems only how many there are.
void print_entry(const Terminal& terminal, json::Value entry) {
  terminal.out << coloured(cell_of(entry.find("offset")), Colour::strong, terminal.out_is_tty);
  for (const auto name : {"logged_at", "event"})
    if (const auto value = entry.find(name)) terminal.out << "  " << cell_of(value);
  for (const auto [key, value] : entry.members()) {
    if (is_left_out(key) || value.is_null()) continue;
    const bool is_problems = key == "warnings" || key == "validation_errors";
    terminal.out << "  " << coloured(printable(key) + "=", Colour::faint, terminal.out_is_tty)
                 << (is_problems ? std::to_string(value.size()) : cell_of(value));
  }
  terminal.out << '\n';
}

constexpr std::uint64_t newest_shown = 1'000, page_max = 1'000;

// Where the newest `count` entries begin; says how many lie before them.
base::Result<std::uint64_t> first_of_the_newest(const Context& context, Connected& server, std::uint64_t count) {
  PARLEY_TRY(const auto reply, server.client.get(sdk::path_of(server.workspace)));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const std::uint64_t head = document.root().find("head").if_uint().value_or(0);
  if (head <= count) return 1;
  if (!context.json) context.terminal.err << head - count << " earlier entries: --from 1 shows them\n";
  return head - count + 1;
}

base::Result<json::Document> page_of(Connected& server, std::uint64_t from, std::uint64_t max, base::Duration wait) {
  sdk::CallOptions call;
  call.timeout += wait;
  const std::string query = "?from=" + std::to_string(from) + "&max=" + std::to_string(max) +
                            (wait > base::Duration{} ? "&wait=" + base::to_text(wait) : "");
  PARLEY_TRY(const auto reply, server.client.get(sdk::path_of(server.workspace, {"log"}) + query, call));
  return json::Document::parse(reply.body, answer_limits);
}

base::Result<Exit> tail(Context& context, const TailOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  const Terminal& terminal = context.terminal;
  std::uint64_t from = options.from;
  std::uint64_t left = options.max ? *options.max : from > 0 ? UINT64_MAX : newest_shown;
  if (from == 0) {
    PARLEY_TRY(from, first_of_the_newest(context, server, left));
  }
  bool reached = false;
  while (left > 0) {
    const auto document = page_of(server, from, std::min(left, page_max), options.follow ? poll_time : base::Duration{});
    if (!document && options.follow && reached && is_passing(document.error())) {
      reconnect(options.online, server);
      continue;
    }
    if (!document) return std::unexpected(document.error());
    reached = true;
    const auto items = document->root().find("items");
    for (const auto entry : items.elements()) {
      if (context.json)
        print_json(terminal, json::to_text(entry));
      else
        print_entry(terminal, entry);
    }
    if (!flush(terminal)) return Exit::refused;
    const std::uint64_t next = std::max(from, document->root().find("next").if_uint().value_or(0));
    const bool at_the_end = items.size() == 0 && next == from;
    from = next;
    if (options.follow) continue;
    left -= std::min<std::uint64_t>(left, items.size());
    if (at_the_end) break;
  }
  return Exit::done;
}

}  // namespace

Verb tail_verb() {
  auto options = std::make_shared<TailOptions>();
  return {.name = "tail",
          .summary = "Print the log, and follow it as it grows",
          .examples = {"parley tail -f", "parley tail --from 100 --max 20 --json"},
          .options =
              std::vector<Option>{
                  {"--from", "offset to begin with (default: the newest 1,000 entries)", &options->from},
                  {"-n,--max", "how many entries at most, unless following; without --from, the newest", &options->max},
                  {"-f,--follow", "go on as new entries come, also over restarts of the server, until Ctrl-C", &options->follow},
                  {"--as", "the agent whose part of the log (else the admin's: all)", &options->online.wanted.agent}} +
              workspace_options(options->online),
          .run = [options](Context& context) { return tail(context, *options); }};
}

}  // namespace parley::cli
