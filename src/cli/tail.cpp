// `parley tail`: the log in offset order, and on as it grows.
#include <algorithm>
#include <deque>
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

// The newest entries of those that the caller may see, and where the log goes on behind them.
struct Newest {
  std::deque<std::string> entries;
  std::uint64_t next = 1;
  bool has_earlier = false;
};

// The last `most` of those from `begin` on and before `end`.
base::Result<std::deque<std::string>> last_of(Connected& server, std::uint64_t begin, std::uint64_t end,
                                              std::uint64_t most) {
  std::deque<std::string> entries;
  for (std::uint64_t from = begin; from < end;) {
    PARLEY_TRY(const auto document, log_page(server, from, std::min(end - from, page_max), {}));
    for (const auto entry : document.root().find("items").elements()) {
      if (entry.find("offset").if_uint().value_or(0) >= end) break;
      entries.push_back(json::to_text(entry));
      if (entries.size() > most) entries.pop_front();
    }
    const std::uint64_t next = document.root().find("next").if_uint().value_or(0);
    if (next <= from) break;
    from = next;
  }
  return entries;
}

// Offsets are the workspace's, and an agent may see a few of them: looked for from the end back, in stretches of twice
// the length each, and for one more, so that what is said of earlier ones is so.
base::Result<Newest> newest(Connected& server, std::uint64_t count) {
  PARLEY_TRY(const auto reply, server.client.get(sdk::path_of(server.workspace)));
  PARLEY_TRY(const auto document, json::Document::parse(reply.body, answer_limits));
  Newest found;
  found.next = document.root().find("head").if_uint().value_or(0) + 1;
  std::uint64_t end = found.next;
  for (std::uint64_t length = count + 1; end > 1 && found.entries.size() <= count; length *= 2) {
    const std::uint64_t begin = end - std::min(length, end - 1);
    PARLEY_TRY(auto entries, last_of(server, begin, end, count + 1 - found.entries.size()));
    found.entries.insert(found.entries.begin(), std::make_move_iterator(entries.begin()),
                         std::make_move_iterator(entries.end()));
    end = begin;
  }
  found.has_earlier = found.entries.size() > count;
  if (found.has_earlier) found.entries.pop_front();
  return found;
}

void print(const Context& context, json::Value entry) {
  if (context.json)
    print_json(context.terminal, json::to_text(entry));
  else
    print_entry(context.terminal, entry);
}

// Says where the log goes on.
base::Result<std::uint64_t> print_newest(const Context& context, Connected& server, std::uint64_t count) {
  PARLEY_TRY(const Newest found, newest(server, count));
  if (found.has_earlier && !context.json) context.terminal.err << "There are earlier entries: --from 1 shows them.\n";
  for (const std::string& text : found.entries) {
    PARLEY_TRY(const auto entry, json::Document::parse(text, answer_limits));
    print(context, entry.root());
  }
  return found.next;
}

base::Result<Exit> tail(Context& context, const TailOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  std::uint64_t from = options.from, left = UINT64_MAX;
  if (options.max && !options.follow) left = *options.max;
  if (from == 0) {
    PARLEY_TRY(from, print_newest(context, server, options.max.value_or(newest_shown)));
    if (!options.follow) return Exit::done;
    if (!flush(context.terminal)) return Exit::refused;
  }
  bool reached = options.from == 0;  // else the first look does not wait: a server that never was there is told at once
  while (left > 0) {
    const base::Duration wait = options.follow && reached ? poll_time : base::Duration{};
    const auto document = log_page(server, from, std::min(left, page_max), wait);
    if (!document && options.follow && reached && is_passing(document.error())) {
      reconnect(options.online, server);
      continue;
    }
    if (!document) return std::unexpected(document.error());
    reached = true;
    const auto items = document->root().find("items");
    for (const auto entry : items.elements()) print(context, entry);
    if (!flush(context.terminal)) return Exit::refused;
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
  return {
      .name = "tail",
      .summary = "Print the log, and follow it as it grows",
      .examples = {"parley tail -f", "parley tail --from 100 --max 20 --json"},
      .options =
          std::vector<Option>{
              {"--from", "offset of the first entry (default: the newest 1,000)", &options->from},
              {"-n,--max",
               "at most this many entries, unless following; without --from, the newest",
               &options->max,
               false,
               {},
               1},
              {"-f,--follow", "follow: print new entries as they come, through restarts of the server, until Ctrl-C",
               &options->follow},
              {"--as NAME", "show what this agent may see (default: all, as the admin)",
               &options->online.wanted.agent}} +
          workspace_options(options->online),
      .run = [options](Context& context) { return tail(context, *options); }};
}

}  // namespace parley::cli
