#include "app/server.hpp"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "app/data_folder.hpp"
#include "app/open_files.hpp"
#include "app/server_file.hpp"
#include "app/snapshots.hpp"
#include "app/turns.hpp"
#include "app/wrong_tokens.hpp"
#include "base/file.hpp"
#include "base/quoted.hpp"
#include "broker/broker.hpp"
#include "cli/verb.hpp"
#include "envelope/limits.hpp"
#include "gateway/http/gateway.hpp"
#include "gateway/websocket/gateway.hpp"
#include "journal/file/file_journal.hpp"
#include "journal/memory/memory_journal.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "net/workers.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "profile/rulesets.hpp"

namespace parley::app {
namespace {

using base::ErrorCode;

constexpr base::Duration slow_sync = std::chrono::seconds(1);
constexpr base::Duration time_ahead_tolerated = std::chrono::minutes(1);

base::Result<net::ListenOptions> parse_listen(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  net::ListenOptions options;
  if (colon != std::string::npos) {
    options.host = text.substr(0, colon);
    if (options.host.starts_with('[') && options.host.ends_with(']'))
      options.host = options.host.substr(1, options.host.size() - 2);
    const char* const begin = text.data() + colon + 1;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(begin, end, options.port);
    if (parsed.ec == std::errc() && parsed.ptr == end) return options;  // too large a number is an error, and port 0
  }
  return cli::misuse("--listen: '" + text + "' is no address to listen on", "Write ADDRESS:PORT, like 127.0.0.1:7411.");
}

bool is_host(std::string_view text) {
  return !text.empty() && text.find_first_of("/@?#* ") == text.npos;
}

// What is neither can never match, and would be found out by whom it was meant for.
base::Result<> check_names(const cli::ServeOptions& options) {
  for (const std::string& host : options.allowed_hosts)
    if (!is_host(host))
      return cli::misuse("--allow-host: " + base::quoted(host) + " is no host",
                         "Write HOST or HOST:PORT, like proxy.example.org, without scheme and path.");
  for (const std::string& origin : options.allowed_origins) {
    if (origin == "null") continue;  // what browsers say of a page from a file, or in a sandbox
    const std::size_t at = origin.find("://");
    if (at == 0 || at == origin.npos || !is_host(origin.substr(at + 3)))
      return cli::misuse("--allow-origin: " + base::quoted(origin) + " is no origin",
                         "Write SCHEME://HOST[:PORT], like https://app.example.org, without a path.");
  }
  return {};
}

base::Result<> try_to_listen(const net::ListenOptions& options) {
  PARLEY_TRY(const net::Listening listening, net::listen_on(options.host, options.port, options.beyond_loopback));
  net::close_descriptor(listening.descriptor);
  return {};
}

void tell_of_refused(observe::Log& log, const std::vector<base::Error>& snapshots) {
  for (const base::Error& refused : snapshots)
    log.warning("snapshot_refused", {{"where", refused.where}, {"message", refused.message}});
}

base::Result<std::unique_ptr<journal::Journal>> open_journal(const cli::ServeOptions& options, base::FileSystem& files,
                                                             base::Random& random, journal::file::Syncer& syncer,
                                                             observe::Log& log) {
  if (options.journal == "memory") return journal::memory::open();
  if (options.journal != "file")
    return base::fail(ErrorCode::BAD_REQUEST, "'" + options.journal + "' is no journal this build has", "--journal",
                      "Use file or memory.");
  journal::file::Options how;
  how.folder = options.data_folder + "/journal";
  how.files = &files;
  how.random = &random;
  how.syncer = &syncer;
  PARLEY_TRY(journal::file::Opened opened, journal::file::open(std::move(how)));
  if (const auto& cut = opened.recovered.cut)
    log.warning(
        "journal_tail_cut",
        {{"file", cut->file}, {"byte", cut->byte}, {"bytes", cut->bytes}, {"after_position", cut->after.value}});
  tell_of_refused(log, opened.recovered.refused_snapshots);
  return std::move(opened.journal);
}

// Beside the loop (docs/decisions/0004): none where there is one core.
unsigned workers_for(unsigned cores) {
  return cores < 2 ? 0 : std::min(cores - 1, 4u);
}

// Copies what the broker counts into the metrics, before a scrape.
void update(observe::Metrics& metrics, const broker::Counts& counts) {
  using observe::Metric;
  const auto set = [&](Metric metric, std::uint64_t value, std::string_view label = {}) {
    observe::Counter& counter = metrics.counter(metric, label);
    counter.add(value - counter.value());
  };
  for (const auto& [profile, count] : counts.accepted) set(Metric::messages_accepted, count, profile);
  for (std::size_t code = 0; code < counts.refused.size(); ++code)
    if (counts.refused[code] > 0) set(Metric::messages_refused, counts.refused[code], base::error_infos[code].name);
  set(Metric::messages_duplicate, counts.duplicates);
  set(Metric::deliveries_offered, counts.offered);
  set(Metric::deliveries_acked, counts.acked);
  set(Metric::deliveries_nacked, counts.nacked);
  set(Metric::deliveries_expired, counts.expired);
  set(Metric::dead_letters, counts.dead_letters);
  set(Metric::journal_blocks, counts.blocks);
  set(Metric::journal_records, counts.events);
}

// Fail-stop (D3, B3): without unwinding, since the threads that make segments and snapshots may be in a call to the
// same disk that does not come back for long, and they use the server's log; which may wait for its reader, as these
// words do for a second. All that was promised is synced.
[[noreturn]] void stop_at_once(base::Clock& clock, const base::Error& why) {
  // A log that is over at once, and written out with that, or given up.
  observe::Log::to_stderr(clock, observe::Level::error)
      ->error("journal_failed", {{"code", info(why.code).name}, {"message", why.message}});
  std::_Exit(EXIT_FAILURE);
}

base::Result<net::LoopSettings> loop_settings(const cli::ServeOptions& options) {
  net::LoopSettings settings;
  settings.http.head_bytes_max = envelope::head_bytes_max;  // these as GET /v1/limits tells
  settings.http.target_bytes_max = envelope::target_bytes_max;
  settings.connections_max = envelope::connections_max;
  settings.strangers_max = envelope::strangers_max;
  PARLEY_TRY(settings.descriptors_max, descriptors_for_connections());
  for (const std::string& host : options.allowed_hosts) {
    settings.access.hosts.push_back(host);
    settings.access.names.push_back(host);
  }
  for (const std::string& origin : options.allowed_origins) settings.access.origins.push_back(origin);
  return settings;
}

// Returns where replay began: what the newest snapshot holds.
base::Result<base::Position> start(broker::Broker& broker, base::Clock& clock, observe::Log& log) {
  const base::Duration began = clock.monotonic();
  const std::uint64_t found = broker.journal().head().position.value;
  PARLEY_TRY(const broker::Recovery recovery, broker.start());
  tell_of_refused(log, recovery.refused_snapshots);
  log.info("recovered", {{"events", recovery.events},
                         {"from_snapshot", recovery.from_snapshot},
                         {"milliseconds", (clock.monotonic() - began).count() / 1000},
                         {"downtime", base::to_text(recovery.downtime)}});
  if (recovery.ahead > time_ahead_tolerated)
    log.error("time_is_ahead", {{"by", base::to_text(recovery.ahead)},
                                {"message",
                                 "the journal was written by a clock that ran ahead; the server's time "
                                 "goes on from there, see docs/reliability.md"}});
  return base::Position(found - recovery.events);
}

std::string url_of(const std::string& host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return "http://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

base::Result<> serve(const cli::ServeOptions& options, const std::function<void(const cli::Started&)>& started) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may go: it is lost then, and the server is not (B4)
  base::SystemClock clock;
  base::SystemRandom random;
  const auto files = base::system_files();
  PARLEY_TRY(const observe::Level level, observe::parse_level(options.log_level));
  const auto log = observe::Log::to_stderr(clock, level);
  observe::Metrics metrics;
  const profile::Rulesets rulesets = profile::built_in();
  PARLEY_TRY(const net::ListenOptions listen, parse_listen(options.listen));
  PARLEY_CHECK(check_names(options));
  PARLEY_CHECK(try_to_listen(listen));  // a server that will not come about makes no data folder

  PARLEY_TRY(auto settings, loop_settings(options));
  net::Loop loop(clock, metrics, *log, std::move(settings));

  PARLEY_CHECK(check_data_folder(options.data_folder));
  PARLEY_CHECK(make_data_folder(*files, options.data_folder));
  // Whatever the journal is: one server has the folder, or the command line would find another than was meant.
  PARLEY_TRY(const auto folder_lock, files->lock_folder(options.data_folder));
  journal::file::BesideSyncer syncer(
      {.clock = &clock, .loop_has_more = [&loop] { return loop.more_is_ready(); }, .wake = [&loop] { loop.wake(); }});
  PARLEY_TRY(const auto journal, open_journal(options, *files, random, syncer, *log));
  PARLEY_TRY(const AdminToken admin, admin_token(*files, options.data_folder, random));

  broker::Options broker_options;
  broker_options.admin_token_hash = admin.hash;
  const auto ruleset_of = [&rulesets](std::string_view name) { return rulesets.find(name).get(); };
  broker::Broker broker({clock, random, *journal, ruleset_of}, broker_options);
  PARLEY_TRY(const base::Position replayed_from, start(broker, clock, *log));

  gateway::http::Gateway http(broker.port(), loop, metrics, clock, *log);
  net::Workers workers(clock, loop, workers_for(std::thread::hardware_concurrency()));
  gateway::websocket::Gateway sockets(broker.port(), loop, workers.threads() > 0 ? &workers : nullptr, clock, *log);
  WrongTokens wrong_tokens(clock, *log);
  const auto count_unauthenticated = [&](std::string_view front) {
    return [&, front](bool wrong_token) {
      metrics.counter(observe::Metric::unauthenticated).add();
      if (wrong_token) wrong_tokens.seen(front);
    };
  };
  http.on_unauthenticated = count_unauthenticated("http");
  sockets.on_unauthenticated = count_unauthenticated("websocket");
  http.before_metrics = [&] { update(metrics, broker.counts()); };
  http.not_ready = [&syncer] {
    return syncer.last_took() > slow_sync ? std::string("the last sync took over 1 s") : std::string();
  };

  // No first message meets a journal that is still being made ready.
  hold_input_back(*journal, clock, [] { return true; });
  loop.serve(http, sockets);
  PARLEY_TRY(const std::uint16_t port, loop.listen(listen));
  const std::string url = url_of(listen.host, port);
  ServerFile server_file(*files, options.data_folder, url, *log);
  PARLEY_CHECK(server_file.write());
  bool stopping = false;
  loop.on_stop_signal([&](int signal) {
    log->info("stopping", {{"signal", signal}});
    stopping = true;
  });
  log->info("listening", {{"url", url}, {"data", options.data_folder}});
  started({url, options.data_folder, admin.file, admin.made});

  Snapshots snapshots(*journal, ruleset_of, *log, replayed_from, clock.monotonic(), {});
  Turns turns({clock, *journal, loop, broker, http, sockets, snapshots, server_file, *log});
  base::Result<> outcome = turns.until(stopping);
  if (outcome) outcome = turns.drain();
  server_file.remove();
  if (!outcome) stop_at_once(clock, outcome.error());
  snapshots.give_up();
  if (auto closed = journal->close(); !closed) stop_at_once(clock, closed.error());
  log->info("stopped");
  return {};
}

}  // namespace parley::app
