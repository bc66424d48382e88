// `parley bench`: a load on a running server, in a workspace of its own, and what became of it. bench/ has the parts.
#include "cli/bench/report.hpp"
#include "cli/bench/run.hpp"
#include "cli/online.hpp"
#include "cli/verbs.hpp"
#include "sdk/cpp/socket.hpp"

namespace parley::cli {
namespace {

struct BenchOptions {
  Online online;
  std::string transport = "ws";
  std::string mode = "e2e";
  std::string contents = "tasks";
  std::optional<std::uint32_t> batch;
  std::optional<std::uint32_t> window;
  bench::Settings settings;
};

struct Bound {
  std::string_view option;
  std::uint32_t value, most;
};

base::Result<> check_bounds(const bench::Settings& settings) {
  for (const auto& [option, value, most] : {Bound{"--batch", settings.batch, 1'000},
                                            {"--producers", settings.producers, 10'000},
                                            {"--consumers", settings.consumers, 10'000},
                                            {"--size", settings.size, 1 << 20},
                                            {"--window", settings.window, UINT32_MAX},
                                            {"--credit", settings.credit, UINT32_MAX}})
    if (value < 1 || value > most)
      return misuse(std::string(option) + ": " + std::to_string(value) + " is not one of 1 to " + std::to_string(most));
  if (settings.duration.count() <= 0) return misuse("--duration: it is no time at all");
  if (!(settings.rate >= 0)) return misuse("--rate: it is no rate");
  if (settings.is_work() && (settings.http || settings.publish_only))
    return misuse("--contents work: what is delivered over the stream is answered there",
                  "Leave out --transport http and --mode publish.");
  return {};
}

base::Result<bench::Settings> settings_of(const BenchOptions& options) {
  bench::Settings settings = options.settings;
  settings.http = options.transport == "http";
  settings.publish_only = options.mode == "publish";
  settings.contents = bench::contents_of(options.contents);
  settings.batch = options.batch.value_or(settings.http ? 1 : settings.batch);
  settings.window = options.window.value_or(settings.http ? settings.batch : settings.window);
  PARLEY_CHECK(check_bounds(settings));
  return settings;
}

base::Result<Exit> measure(Context& context, const BenchOptions& options) {
  PARLEY_TRY(const auto settings, settings_of(options));
  PARLEY_TRY(auto admin, options.online.client());
  if (const auto endpoint = sdk::endpoint_of(admin.access().url); !endpoint)  // before anything is made there
    return misuse("--server: " + endpoint.error().message, "The load speaks no TLS: name the server's own address.");
  PARLEY_TRY(const auto outcome, bench::run(admin, settings));
  if (context.json)
    print_json(context.terminal, bench::to_json(settings, outcome));
  else
    bench::print(context.terminal, settings, outcome);
  return outcome.complete(settings) ? Exit::done : Exit::refused;
}

}  // namespace

Verb bench_verb() {
  auto options = std::make_shared<BenchOptions>();
  bench::Settings& settings = options->settings;
  return {
      .name = "bench",
      .summary =
          "Measure a running server: throughput, latency, losses; leaves a workspace behind (use a server of its own)",
      .examples = {"parley bench", "parley bench --mode publish --producers 4", "parley bench --rate 50000 --json",
                   "parley bench --transport http --producers 64", "parley bench --contents work"},
      .options =
          std::vector<Option>{
              {"--transport WORD", "how messages travel", &options->transport, false, {"ws", "http"}},
              {"--mode WORD",
               "with delivery and ack (e2e), or without (publish)",
               &options->mode,
               false,
               {"e2e", "publish"}},
              {"--contents WORD",
               "what is sent: assignments, each of which begins a task; remarks without consequences; or work (not "
               "over http): assignments that are acknowledged and completed",
               &options->contents,
               false,
               {"tasks", "remarks", "work"}},
              {"--producers", "agents that send", &settings.producers},
              {"--consumers", "agents that take", &settings.consumers},
              {"--batch", "messages per frame (default: 256; with http 1)", &options->batch},
              {"--window", "messages a producer may have unanswered; of work, tasks not completed (default: 8192)",
               &options->window},
              {"--credit", "deliveries a consumer may have unacked; of work, a producer too", &settings.credit},
              {"--size", "bytes per message", &settings.size},
              {"--duration", "how long to send", &settings.duration},
              {"--count", "messages in all, of work up to whole tasks; 0: as many as --duration allows",
               &settings.count},
              {"--rate",
               "messages per second in all, sent as they come due (of work, assignments), whatever the answers do; 0: "
               "as fast as the windows allow",
               &settings.rate}} +
          server_options(options->online),
      .run = [options](Context& context) { return measure(context, *options); }};
}

}  // namespace parley::cli
