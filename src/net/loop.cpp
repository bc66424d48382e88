// Who waits to be read, written, or for a time. Connections are destroyed only between callbacks.
#include "net/loop.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <queue>
#include <thread>

#include "base/assert.hpp"
#include "net/acceptor.hpp"
#include "net/connections.hpp"
#include "net/reactor.hpp"
#include "net/socket.hpp"
#include "net/watchdog.hpp"

namespace parley::net {
namespace {

using observe::Metric;

constexpr std::size_t little_bytes = 16 << 10;  // of output

std::string date_field(base::Instant at) {  // RFC 9110 §5.6.7
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const auto length = std::strftime(text, sizeof text, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
  return {text, length};
}

// A descriptor on its way from the watchdog to the loop; closed where it does not arrive.
struct InTransit {
  int descriptor;
  std::string bytes;
  ~InTransit() {
    if (descriptor >= 0) close_descriptor(descriptor);
  }
};

Shared::Figures figures_of(observe::Metrics& metrics) {
  const auto answers = [&](const char* status) { return &metrics.counter(Metric::http_requests, status); };
  return {metrics.gauge(Metric::connections, "http"),
          metrics.gauge(Metric::connections, "websocket"),
          metrics.counter(Metric::connections_slow),
          metrics.counter(Metric::network_read_bytes),
          metrics.counter(Metric::network_written_bytes),
          metrics.counter(Metric::websocket_messages, "in"),
          metrics.counter(Metric::websocket_messages, "out"),
          {answers("other"), answers("1xx"), answers("2xx"), answers("3xx"), answers("4xx"), answers("5xx")}};
}

}  // namespace

struct Loop::Core {
  base::Clock& clock;
  observe::Metrics& metrics;
  observe::Log& log;
  Heartbeat heartbeat;
  Reactor reactor;
  Shared shared;
  Connections connections;
  Acceptor acceptor;

  std::vector<ConnectionId> to_flush;
  std::vector<ConnectionId> to_read;

  struct Due {
    base::Duration when;
    ConnectionId connection;     // or
    std::function<void()> work;  // of Loop::at
    bool operator>(const Due& other) const { return when > other.when; }
  };
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;

  bool waiting = false;
  base::Duration usual_wait = never;  // between a turn and the next input, of late
  base::Duration date_until{0};
  std::unique_ptr<Watchdog> watchdog;

  observe::Histogram& turns = metrics.histogram(Metric::loop_turn_seconds);

  Core(base::Clock& c, observe::Metrics& m, observe::Log& l, LoopSettings settings)
      : clock(c),
        metrics(m),
        log(l),
        reactor(c, [this](std::uint64_t token, Reactor::Ready ready) { on_ready(token, ready); }),
        shared{.clock = c,
               .settings = std::move(settings),
               .wants_flush = {},
               .wants_reading = {},
               .figures = figures_of(m)},
        connections(shared, reactor, m, l),
        acceptor(
            shared, reactor, connections,
            [this](base::Duration when, std::function<void()> work) { due.push({when, {}, std::move(work)}); }, m, l) {
    shared.read_buffer.resize(shared.settings.read_bytes);
    shared.wants_flush = [this](ConnectionId id) { to_flush.push_back(id); };
    shared.wants_reading = [this](ConnectionId id) { to_read.push_back(id); };
    look_at_clock();
  }

  // Stops the other thread first; what it handed over and nobody took is closed with the reactor's queue.
  ~Core() { watchdog.reset(); }

  void start_watchdog() {
    watchdog.reset();
    if (shared.settings.watchdog_after == base::Duration{}) return;
    auto settings = shared.settings;
    settings.http.standing_fields = settings.fixed_fields;  // the Date in it would grow old
    watchdog = std::make_unique<Watchdog>(
        Watchdog::Work{clock, heartbeat, metrics.counter(Metric::watchdog_answers), std::move(settings),
                       acceptor.descriptors(), [this](int descriptor, std::string bytes) {
                         auto taken = std::make_shared<InTransit>(descriptor, std::move(bytes));
                         reactor.post([this, taken] {
                           woken();
                           acceptor.take_over(std::exchange(taken->descriptor, -1), taken->bytes);
                         });
                       }});
  }

  // The first thing after a wait, before anybody is called: time has passed, and the loop is busy again.
  void woken() {
    if (!std::exchange(waiting, false)) return;
    look_at_clock();
    heartbeat.busy(shared.now);
  }

  void look_at_clock() {
    shared.now = clock.monotonic();
    if (shared.now < date_until) return;
    date_until = shared.now + std::chrono::seconds(1);
    shared.settings.http.standing_fields = date_field(clock.wall()) + shared.settings.fixed_fields;
  }

  void schedule(Connection& connection, ConnectionId id) {
    const auto when = connection.next_deadline();
    if (when >= connection.scheduled) return;  // it will be looked at before, and scheduled again then
    connection.scheduled = when;
    due.push({when, id, {}});
  }

  // ---- readiness

  void on_ready(std::uint64_t token, Reactor::Ready ready) {
    woken();
    if (Acceptor::is_listener(token)) return acceptor.on_ready(token);
    const ConnectionId id(token);
    auto* connection = connections.find(id);
    if (connection == nullptr) return;
    if (ready == Reactor::Ready::read)
      connection->on_readable();
    else
      connection->on_writable();
    schedule(*connection, id);
  }

  // ---- the turn

  // Readiness is asked for once a turn, so that a busy peer cannot keep the turn from ending.
  // Whether connections were served by that, with what they had sent before.
  bool ask_for_readiness() {
    bool served = false;
    acceptor.before_accepting();
    for (std::size_t i = 0; i < to_read.size(); ++i) {  // grows while it is walked
      const ConnectionId id = to_read[i];
      if (auto* connection = connections.find(id)) {
        served |= connection->before_reading();
        schedule(*connection, id);
      }
    }
    to_read.clear();
    return served;
  }

  // Who is owed little goes first: it may go on while the long outputs are written.
  void flush() {
    if (to_flush.size() > 1) {
      std::stable_partition(to_flush.begin(), to_flush.end(), [this](ConnectionId id) {
        const auto* connection = connections.find(id);
        return connection != nullptr && connection->unwritten() <= little_bytes;
      });
    }
    for (std::size_t i = 0; i < to_flush.size(); ++i) {  // likewise
      const ConnectionId id = to_flush[i];
      auto* connection = connections.find(id);
      if (connection == nullptr) continue;
      connection->flush();
      if (connection->over())
        connections.bury(id);
      else
        schedule(*connection, id);
    }
    to_flush.clear();
  }

  void run_due() {
    while (!due.empty() && due.top().when <= shared.now) {
      Due next = std::move(const_cast<Due&>(due.top()));
      due.pop();
      if (next.work) {
        next.work();
        continue;
      }
      auto* connection = connections.find(next.connection);
      if (connection == nullptr || connection->scheduled != next.when) continue;
      connection->scheduled = never;
      connection->on_time();
      schedule(*connection, next.connection);
    }
  }

  void turn(base::Duration until) {
    flush();
    const bool served = ask_for_readiness();
    flush();                              // what was held back may have been answered
    if (served || until <= shared.now) {  // whoever was served waits for the rest of this turn
      note_turn(clock.monotonic());
      look_at_clock();
      heartbeat.busy(shared.now);
      reactor.run_ready();
    } else {
      block(std::min(until, due.empty() ? never : due.top().when));
    }
    run_due();
    flush();
  }

  void note_turn(base::Duration end) {
    turns.observe(static_cast<std::uint64_t>(std::max<std::int64_t>(0, (end - shared.now).count())));
  }

  void block(base::Duration until) {
    const auto begun = clock.monotonic();
    note_turn(begun);
    waiting = true;
    heartbeat.waiting();
    if (glance(begun, until)) {
      reactor.run_ready();
    } else {
      reactor.run_for(until == never ? never : std::max(base::Duration{}, until - clock.monotonic()));
    }
    woken();
    const base::Duration waited = std::min(shared.now - begun, 4 * shared.settings.glance_max);
    usual_wait = usual_wait == never ? waited : (7 * usual_wait + waited) / 8;
  }

  // To be woken costs a virtual machine some 50 us. Where input has been coming faster than `glance_max`, it is looked
  // for that long before the loop sleeps; whoever else is runnable goes first. An idle server sleeps at once.
  bool glance(base::Duration begun, base::Duration until) {
    const base::Duration at_most = shared.settings.glance_max;
    if (at_most == base::Duration{} || usual_wait > at_most) return false;
    const base::Duration end = std::min(begun + at_most, until);
    do {
      if (reactor.look()) return true;
      std::this_thread::yield();
    } while (clock.monotonic() < end);
    return false;
  }
};

Loop::Loop(base::Clock& clock, observe::Metrics& metrics, observe::Log& log, LoopSettings settings)
    : core_(std::make_unique<Core>(clock, metrics, log, std::move(settings))) {}
Loop::~Loop() = default;

void Loop::serve(HttpPort& http, WebSocketPort& sockets) {
  core_->shared.http = &http;
  core_->shared.sockets = &sockets;
}

base::Result<std::uint16_t> Loop::listen(const ListenOptions& options) {
  PARLEY_ASSERT(core_->shared.http != nullptr);
  PARLEY_TRY(const auto listening, listen_on(options.host, options.port, options.beyond_loopback));
  auto& core = *core_;
  core.acceptor.add(listening.descriptor);
  // Whom it answers to: the address listened on, localhost where that reaches it, and the pages served from there.
  auto& access = core.shared.settings.access;
  const bool v6 = options.host.find(':') != std::string::npos;
  access.allow(v6 ? "[" + options.host + "]" : options.host, listening.port);
  if (listening.loopback) access.allow("localhost", listening.port);
  core.start_watchdog();
  core.look_at_clock();  // what came before was no turn
  return listening.port;
}

void Loop::poll() {
  core_->turn(base::Duration::min());
}

void Loop::take_more() {
  (void)core_->ask_for_readiness();
  core_->reactor.run_ready();
}

void Loop::wait(base::Duration until) {
  core_->turn(until);
}

void Loop::flush() {
  core_->flush();
}

bool Loop::more_is_ready() {
  return core_->reactor.look();
}

base::Duration Loop::now() const {
  return core_->shared.now;
}

void Loop::post(std::function<void()> work) {
  core_->reactor.post([core = core_.get(), work = std::move(work)] {
    core->woken();
    work();
  });
}

void Loop::wake() {
  core_->reactor.wake();
}

void Loop::at(base::Duration when, std::function<void()> work) {
  core_->due.push({when, {}, std::move(work)});
}

void Loop::on_stop_signal(std::function<void(int)> stop) {
  core_->reactor.on_signals({SIGTERM, SIGINT}, [core = core_.get(), stop = std::move(stop)](int signal) {
    core->woken();
    stop(signal);
  });
}

bool Loop::respond(RequestId request, http::Response&& response) {
  auto* connection = core_->connections.find(request.connection);
  return connection != nullptr && connection->respond(request.number, std::move(response));
}

bool Loop::send(ConnectionId socket, websocket::MessageKind kind, std::string&& message) {
  auto* connection = core_->connections.find(socket);
  return connection != nullptr && connection->send(kind, std::move(message));
}

bool Loop::send(ConnectionId socket, websocket::MessageKind kind, std::span<const std::string_view> pieces) {
  auto* connection = core_->connections.find(socket);
  return connection != nullptr && connection->send(kind, pieces);
}

bool Loop::close(ConnectionId socket, std::uint16_t code, std::string_view reason) {
  auto* connection = core_->connections.find(socket);
  return connection != nullptr && connection->close(code, reason);
}

void Loop::catch_up(ConnectionId socket) {
  auto* const connection = core_->connections.find(socket);
  if (connection == nullptr) return;
  connection->catch_up();
  core_->schedule(*connection, socket);
}

void Loop::hold_reading(ConnectionId id, bool held) {
  if (auto* connection = core_->connections.find(id)) connection->hold_reading(held);
}

void Loop::vouch_for(ConnectionId id) {
  auto* const connection = core_->connections.find(id);
  if (connection == nullptr) return;
  core_->connections.vouch_for(id);
  connection->allow_messages();
}

std::size_t Loop::connections() const {
  return core_->connections.count();
}

void Loop::drain() {
  core_->watchdog.reset();
  core_->acceptor.stop();
  core_->connections.for_each([](Connection& connection) { connection.drain(); });
}

void Loop::close_drained() {
  core_->connections.for_each([](Connection& connection) { connection.close_drained(); });
}

}  // namespace parley::net
