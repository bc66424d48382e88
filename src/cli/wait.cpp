// `parley wait`: blocks until a message is there, takes it and prints it (BEY-09). It waits outside of the model, so
// that waiting costs no tokens; it outlives a restart of the server, and one take_id for the whole wait makes the
// repeated request safe.
#include <algorithm>
#include <ostream>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "cli/deliveries.hpp"
#include "cli/online.hpp"
#include "cli/settle.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {
namespace {

using base::Duration;

struct WaitOptions {
  Online online;
  std::uint32_t max = 1;
  Duration lease{};
  std::optional<Duration> timeout;
  bool ack = false;
};

std::string fresh_take_id() {
  base::SystemRandom random;
  std::string bytes(16, '\0');
  random.fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return base::to_hex(bytes);
}

base::Result<sdk::Taken> take_first(sdk::Workspace& workspace, const WaitOptions& options) {
  base::SystemClock clock;
  const std::string& agent = options.online.wanted.agent;
  const std::string take_id = fresh_take_id();
  const Duration start = clock.monotonic();
  bool reached = false;  // the first look does not wait: a server that never was there is told at once
  while (true) {
    const Duration left = !reached          ? Duration{}
                          : options.timeout ? start + *options.timeout - clock.monotonic()
                                            : poll_time;
    auto taken = workspace.take(agent, {.max = options.max,
                                        .wait = std::clamp(left, Duration{}, poll_time),
                                        .lease = options.lease,
                                        .take_id = take_id});
    if (taken && !taken->deliveries().empty()) return taken;
    if (!taken && !(reached && is_passing(taken.error()))) return std::unexpected(taken.error());
    reached = true;
    if (options.timeout && clock.monotonic() - start >= *options.timeout)
      return base::fail(base::ErrorCode::REQUEST_TIMEOUT, "no message came in " + base::to_text(*options.timeout),
                        agent, "Wait again, or longer with --timeout.");
    if (!taken) pause_before_retry();
  }
}

base::Result<Exit> wait(Context& context, const WaitOptions& options) {
  PARLEY_TRY(auto server, connect(options.online));
  sdk::Workspace workspace(server.client, server.workspace);
  PARLEY_TRY(const auto taken, take_first(workspace, options));
  if (context.json)
    print_json(context.terminal, taken.json());
  else
    for (const sdk::Delivery& delivery : taken.deliveries()) print_delivery(context.terminal, delivery);
  if (!options.ack) return Exit::done;
  if (!flush(context.terminal)) return Exit::refused;  // they come again

  std::vector<std::string_view> ids;
  for (const sdk::Delivery& delivery : taken.deliveries())
    if (!delivery.lease_until.empty()) ids.push_back(delivery.delivery_id);
  if (ids.empty()) return Exit::done;
  PARLEY_TRY(const auto results, workspace.settle(sdk::Settlement::ack, options.online.wanted.agent, ids));
  Exit exit = Exit::done;
  for (const sdk::Settled& one : results) {
    if (one.holds()) continue;
    context.terminal.err << line_of(one, context.terminal.err_is_tty);
    exit = Exit::refused;
  }
  return exit;
}

}  // namespace

Verb wait_verb() {
  auto options = std::make_shared<WaitOptions>();
  return {
      .name = "wait",
      .summary = "Wait until a message is there, take it and print it",
      .examples = {"parley wait --as developer-01", "parley wait --as developer-01 --json --timeout 10m"},
      .options =
          std::vector<Option>{{"--timeout", "give up after this long: REQUEST_TIMEOUT, exit status 1 (default: never)",
                               &options->timeout},
                              {"-n,--max", "take at most this many messages", &options->max, false, {}, 1},
                              {"--lease", "how long they are claimed (default: the workspace's)", &options->lease},
                              {"--ack", "acknowledge them once they are printed", &options->ack}} +
          agent_options(options->online),
      .run = [options](Context& context) { return wait(context, *options); }};
}

}  // namespace parley::cli
