// Who is connected, who waits to be read, written, or for a time. Connections are destroyed only between callbacks.
#include "net/loop.hpp"

#include <csignal>
#include <ctime>
#include <list>
#include <queue>
#include <thread>

#include "base/assert.hpp"
#include "net/connection.hpp"
#include "net/reactor.hpp"
#include "net/socket.hpp"
#include "net/watchdog.hpp"

namespace parley::net {
namespace {

using observe::Metric;
constexpr int accepts_per_turn = 64;
constexpr std::uint64_t listener_bit = std::uint64_t{1} << 63;  // of a reactor's token: a listener, not a connection

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

  // A place is used again under a new generation: id = generation << 32 | place, so that none comes twice.
  struct Place {
    std::uint32_t generation = 0;
    std::unique_ptr<Connection> connection;
    std::list<ConnectionId>::iterator stranger = {};
  };
  std::vector<Place> places;
  std::vector<std::uint32_t> free_places;
  std::size_t open = 0;
  std::list<ConnectionId> strangers;  // of these: no valid token has come from them. The oldest first

  std::vector<std::unique_ptr<Reactor::Watch>> listeners;
  bool accepting = true;
  bool accept_paused = false;
  bool accept_ready = true;
  base::Duration warn_again{0};

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
  base::Duration waiting_since{0};
  base::Duration idle{0};             // in that wait
  base::Duration usual_wait = never;  // between a turn and the next input, of late
  base::Duration date_until{0};
  std::unique_ptr<Watchdog> watchdog;

  observe::Counter& accepted = metrics.counter(Metric::connections_accepted);
  observe::Counter& refused_for_limit = metrics.counter(Metric::connections_refused, "limit");
  observe::Counter& refused_for_descriptors = metrics.counter(Metric::connections_refused, "descriptors");
  observe::Counter& made_room = metrics.counter(Metric::connections_refused, "stranger");
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
               .figures = figures_of(m)} {
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
    std::vector<int> descriptors;
    descriptors.reserve(listeners.size());
    for (const auto& listener : listeners) descriptors.push_back(listener->descriptor());
    watchdog = std::make_unique<Watchdog>(
        Watchdog::Work{clock, heartbeat, metrics.counter(Metric::watchdog_answers), std::move(settings),
                       std::move(descriptors), [this](int descriptor, std::string bytes) {
                         auto taken = std::make_shared<InTransit>(descriptor, std::move(bytes));
                         reactor.post([this, taken] {
                           woken();
                           take_over(std::exchange(taken->descriptor, -1), taken->bytes);
                         });
                       }});
  }

  void take_over(int descriptor, std::span<char> bytes) {
    if (!accepting) return close_descriptor(descriptor);
    if (!make_room_for(descriptor)) return refuse(descriptor);
    const auto id = adopt(descriptor);
    auto* const connection = find(id);
    connection->take(bytes);
    schedule(*connection, id);
  }

  // The first thing after a wait, before anybody is called: time has passed, and the loop is busy again.
  void woken() {
    if (!std::exchange(waiting, false)) return;
    look_at_clock();
    idle = shared.now - waiting_since;
    heartbeat.busy(shared.now);
  }

  void look_at_clock() {
    shared.now = clock.monotonic();
    if (shared.now < date_until) return;
    date_until = shared.now + std::chrono::seconds(1);
    shared.settings.http.standing_fields = date_field(clock.wall()) + shared.settings.fixed_fields;
  }

  // ---- connections

  Connection* find(ConnectionId id) {
    const auto place = static_cast<std::uint32_t>(id.value);
    if (place >= places.size() || places[place].generation != id.value >> 32) return nullptr;
    return places[place].connection.get();
  }

  ConnectionId adopt(int descriptor) {
    if (free_places.empty()) {
      free_places.push_back(static_cast<std::uint32_t>(places.size()));
      places.emplace_back();
    }
    const auto number = free_places.back();
    free_places.pop_back();
    auto& place = places[number];
    place.generation = (place.generation + 1) & 0x7FFF'FFFF;  // bit 63 is the listeners'
    const ConnectionId id(std::uint64_t{place.generation} << 32 | number);
    place.connection = std::make_unique<Connection>(shared, id, reactor, descriptor);
    place.stranger = strangers.insert(strangers.end(), id);
    ++open;
    accepted.add();
    log.debug("connection_opened", {{"connection", id.value}, {"open", open}});
    to_read.push_back(id);
    schedule(*place.connection, id);
    return id;
  }

  void bury(ConnectionId id) {
    auto& place = places[static_cast<std::uint32_t>(id.value)];
    place.connection->tell_closed();
    place.connection.reset();
    vouch_for(id);
    free_places.push_back(static_cast<std::uint32_t>(id.value));
    --open;
    log.debug("connection_closed", {{"connection", id.value}, {"open", open}});
  }

  void vouch_for(ConnectionId id) {
    auto& place = places[static_cast<std::uint32_t>(id.value)];
    if (place.stranger != strangers.end()) strangers.erase(std::exchange(place.stranger, strangers.end()));
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
    if ((token & listener_bit) != 0) {
      accept_some(token & ~listener_bit);
      return;
    }
    const ConnectionId id(token);
    auto* connection = find(id);
    if (connection == nullptr) return;
    if (ready == Reactor::Ready::read)
      connection->on_readable();
    else
      connection->on_writable();
    schedule(*connection, id);
  }

  void accept_some(std::size_t listener) {
    accept_ready = true;
    for (int i = 0; i < accepts_per_turn && accepting; ++i) {
      int descriptor = -1;
      switch (accept_from(listeners[listener]->descriptor(), descriptor)) {
        case Accept::none:
          return;
        case Accept::exhausted:
          return pause_accepting();
        case Accept::accepted:
          break;
      }
      if (make_room_for(descriptor)) {
        adopt(descriptor);
      } else {
        refuse(descriptor);
      }
    }
  }

  // Who comes finds room while anybody is here that has shown no token: the oldest of them goes. So whoever opens
  // connections without end keeps nobody out who shows one at once (D11).
  bool make_room_for(int& descriptor) {
    const auto& settings = shared.settings;
    const bool room = open < settings.connections_max && descriptor < settings.descriptors_max;
    if (room && strangers.size() < settings.strangers_max) return true;
    if (strangers.empty()) return false;
    bury(strangers.front());
    made_room.add();
    descriptor = with_lowest_number(descriptor);
    return descriptor < settings.descriptors_max;
  }

  void refuse(int descriptor) {
    refused_for_limit.add();
    http::Response response = shared.http->refusal(
        {}, {base::ErrorCode::OVERLOADED, "there are too many connections", {}, "connection", {}, {}});
    response.fields.emplace_back("Retry-After", "1");
    wire::Output output;
    http::write_response(std::move(response), {.close = true}, shared.settings.http, output);
    const std::string text = output.text();
    const std::string_view piece = text;
    write_some(descriptor, {&piece, 1});
    close_descriptor(descriptor);
  }

  // The connection waits in the kernel's queue meanwhile; trying at once would only burn the processor (E4).
  void pause_accepting() {
    refused_for_descriptors.add();
    if (shared.now >= warn_again) log.warning("no_descriptors_left", {{"connections", open}});
    warn_again = shared.now + std::chrono::seconds(10);
    accept_paused = true;
    due.push({shared.now + shared.settings.accept_pause, {}, [this] {
                accept_paused = false;
                accept_ready = true;
              }});
  }

  // ---- the turn

  // Readiness is asked for once a turn, so that a busy peer cannot keep the turn from ending.
  // Whether connections were served by that, with what they had sent before.
  bool ask_for_readiness() {
    bool served = false;
    if (accept_ready && accepting && !accept_paused) {
      for (auto& listener : listeners) listener->arm(Reactor::Ready::read);
      accept_ready = false;
    }
    for (std::size_t i = 0; i < to_read.size(); ++i) {  // grows while it is walked
      const ConnectionId id = to_read[i];
      if (auto* connection = find(id)) {
        served |= connection->before_reading();
        schedule(*connection, id);
      }
    }
    to_read.clear();
    return served;
  }

  void flush() {
    for (std::size_t i = 0; i < to_flush.size(); ++i) {  // likewise
      const ConnectionId id = to_flush[i];
      auto* connection = find(id);
      if (connection == nullptr) continue;
      connection->flush();
      if (connection->over())
        bury(id);
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
      auto* connection = find(next.connection);
      if (connection == nullptr || connection->scheduled != next.when) continue;
      connection->scheduled = never;
      connection->on_time();
      schedule(*connection, next.connection);
    }
  }

  void turn(base::Duration until) {
    flush();
    const bool served = ask_for_readiness();
    flush();  // what was held back may have been answered
    idle = {};
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
    waiting_since = begun;
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
  const auto token = listener_bit | core.listeners.size();
  core.listeners.push_back(std::make_unique<Reactor::Watch>(core.reactor, listening.descriptor, token));
  core.accept_ready = true;
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

base::Duration Loop::idle() const {
  return core_->idle;
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
  auto* connection = core_->find(request.connection);
  return connection != nullptr && connection->respond(request.number, std::move(response));
}

bool Loop::send(ConnectionId socket, websocket::MessageKind kind, std::string&& message) {
  auto* connection = core_->find(socket);
  return connection != nullptr && connection->send(kind, std::move(message));
}

bool Loop::send(ConnectionId socket, websocket::MessageKind kind, std::span<const std::string_view> pieces) {
  auto* connection = core_->find(socket);
  return connection != nullptr && connection->send(kind, pieces);
}

bool Loop::close(ConnectionId socket, std::uint16_t code, std::string_view reason) {
  auto* connection = core_->find(socket);
  return connection != nullptr && connection->close(code, reason);
}

bool Loop::cut(ConnectionId id) {
  auto* connection = core_->find(id);
  if (connection == nullptr || connection->over()) return false;
  connection->cut();
  return true;
}

void Loop::catch_up(ConnectionId socket) {
  auto* const connection = core_->find(socket);
  if (connection == nullptr) return;
  connection->catch_up();
  core_->schedule(*connection, socket);
}

void Loop::hold_reading(ConnectionId socket, bool held) {
  if (auto* connection = core_->find(socket)) connection->hold_reading(held);
}

void Loop::vouch_for(ConnectionId id) {
  auto* const connection = core_->find(id);
  if (connection == nullptr) return;
  core_->vouch_for(id);
  connection->allow_messages();
}

std::size_t Loop::unwritten_bytes(ConnectionId id) const {
  const auto* connection = core_->find(id);
  return connection == nullptr ? 0 : connection->unwritten_bytes();
}

std::size_t Loop::connections() const {
  return core_->open;
}

void Loop::drain() {
  core_->accepting = false;
  core_->watchdog.reset();
  core_->listeners.clear();  // others are told at once that nobody listens
  for (auto& place : core_->places)
    if (place.connection) place.connection->drain();
}

void Loop::close_drained() {
  for (auto& place : core_->places)
    if (place.connection) place.connection->close_drained();
}

}  // namespace parley::net
