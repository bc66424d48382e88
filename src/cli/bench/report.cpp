// Latencies in µs. A run that is not paced tells how long the windows were, not how long a message takes: it says so.
#include "cli/bench/report.hpp"

#include <array>
#include <cmath>
#include <ostream>

#include "base/joined.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli::bench {
namespace {

struct Share {
  const char* name;
  double share;
};
constexpr std::array shares{Share{"p50", 0.5}, Share{"p90", 0.9}, Share{"p99", 0.99}, Share{"p999", 0.999}};

void write_latency(json::Writer& out, std::string_view name, const Histogram& latency) {
  out.key(name).begin_object().member("count", latency.count());
  for (const auto [word, share] : shares) out.member(word, latency.percentile(share).count());
  out.member("max", latency.max().count()).end_object();
}

std::string latency_line(const Histogram& latency) {
  std::string text;
  for (const auto [word, share] : shares)
    text += std::string(word) + " " + std::to_string(latency.percentile(share).count()) + "  ";
  return text + "max " + std::to_string(latency.max().count());
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace

std::string to_json(const Settings& settings, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  std::string text;
  json::Writer out(text);
  out.begin_object().member("workspace", outcome.workspace).member("transport", settings.http ? "http" : "ws");
  out.member("mode", settings.publish_only ? "publish" : "e2e");
  out.member("contents", word_of(settings.contents));
  out.member("producers", settings.producers);
  out.member("consumers", settings.publish_only ? 0 : settings.consumers).member("batch", settings.batch);
  out.member("window", settings.window).member("size", settings.size).member("rate", settings.rate);
  out.member("complete", outcome.complete(settings))
      .member("seconds", static_cast<double>(outcome.elapsed.count()) / 1e6);
  out.member("messages_per_second", std::round(outcome.per_second(settings)));
  out.member("accepted", tally.accepted).member("refused", tally.refused).member("held_back", tally.held_back);
  out.member("duplicates", tally.duplicates);
  out.member("delivered", tally.delivered).member("repeated", tally.repeated).member("acked", tally.acked);
  out.member("not_acked", tally.not_acked)
      .member("load_cpu_seconds", static_cast<double>(outcome.load_cpu.count()) / 1e6);
  write_latency(out, "ack_latency_us", tally.ack_latency);
  if (!settings.publish_only) write_latency(out, "delivery_latency_us", tally.delivery_latency);
  if (tally.first_refusal) out.key("first_refusal").raw(sdk::to_json(*tally.first_refusal));
  out.end_object();
  return text;
}

void print(const Terminal& terminal, const Settings& settings, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  const bool tty = terminal.out_is_tty;
  const auto line = [&](std::string_view name, const std::string& text) {
    terminal.out << "  " << coloured(std::string(name) + std::string(18 - name.size(), ' '), Colour::faint, tty) << text
                 << '\n';
  };
  const auto rate = static_cast<std::uint64_t>(outcome.per_second(settings));
  terminal.out << coloured(grouped(rate) + " messages/s", Colour::strong, tty)
               << (settings.publish_only ? " published" : " published, delivered and acked") << " over "
               << (settings.http ? "HTTP" : "WebSocket") << '\n';
  line("accepted", grouped(tally.accepted) + " of " + std::to_string(settings.size) + " bytes, " +
                       grouped(tally.refused) + " refused, " + grouped(tally.held_back) + " held back");
  if (!settings.publish_only)
    line("delivered", grouped(tally.delivered) + ", " + grouped(tally.repeated) + " of them again; " +
                          grouped(tally.acked) + " acked");
  line("time", base::to_text(outcome.elapsed) + ", the load's own CPU " + base::to_text(outcome.load_cpu));
  line("ack latency us", latency_line(tally.ack_latency));
  if (!settings.publish_only) line("delivery us", latency_line(tally.delivery_latency));
  if (settings.rate <= 0)
    line("", coloured("latencies are the windows' depth: measure them with --rate", Colour::faint, tty));
  if (tally.first_refusal)
    line("first refusal",
         std::string(base::info(tally.first_refusal->code).name) + " " + printable(tally.first_refusal->message));
  if (const auto lacks = outcome.lacks(settings); !lacks.empty())
    terminal.out << coloured("NOT COMPLETE", Colour::red, tty) << ": " << base::joined(lacks) << '\n';
  else
    terminal.out << coloured("complete", Colour::green, tty)
                 << (settings.publish_only ? ": every message sent was accepted, once\n"
                                           : ": every message accepted was delivered once and acked\n");
}

}  // namespace parley::cli::bench
