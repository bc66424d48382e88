// Plain poll(2): it has at most a handful of connections, and must need nothing of what the loop may be stuck in.
#include "net/watchdog.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "base/assert.hpp"
#include "net/http/parser.hpp"
#include "net/http/response.hpp"
#include "net/socket.hpp"

namespace parley::net {
namespace {

constexpr int glance_ms = 50;                            // how often it looks at the heartbeat
constexpr std::size_t guests_max = 64;                   // connections it keeps in hand
constexpr auto unwell_after = std::chrono::seconds(60);  // a turn this long is no slow disk any more

// A connection accepted here, before it is known what it wants.
struct Guest {
  int descriptor;
  std::string bytes;
};

enum class Wants : std::uint8_t { unknown, health, other };

// Only a request for /healthz from an allowed host is ours; everything else, malformed ones too, is the loop's.
Wants wants(const Guest& guest, const LoopSettings& settings) {
  constexpr std::string_view get = "GET /healthz ";
  const std::string_view bytes = guest.bytes;
  if (!get.starts_with(bytes.substr(0, get.size()))) return Wants::other;
  const auto length = http::HeadScan().look(bytes, settings.http);
  if (!length) return Wants::other;
  if (*length == 0) return Wants::unknown;
  http::Head head;
  const bool fine = http::parse_head(bytes.substr(0, *length), settings.http, head).has_value() &&
                    http::check_access(settings.access, head).has_value();
  return fine && !head.has_body() ? Wants::health : Wants::other;
}

}  // namespace

struct Watchdog::Thread {
  Work work;
  int stop;
  std::vector<Guest> guests;
  std::thread thread;

  explicit Thread(Work w) : work(std::move(w)), stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    PARLEY_ASSERT(stop >= 0);
    thread = std::thread([this] { run(); });
  }

  ~Thread() {
    const std::uint64_t one = 1;
    const auto written = write(stop, &one, sizeof one);
    PARLEY_ASSERT(written == sizeof one);
    thread.join();
    for (const auto& guest : guests) ::close(guest.descriptor);
    ::close(stop);
  }

  void run() {
    while (wait()) {
      const auto busy = work.heartbeat.busy_for(work.clock.monotonic());
      if (busy < work.settings.watchdog_after) {
        for (auto& guest : guests) hand_over(guest);
        guests.clear();
        continue;
      }
      for (const int listening : work.listening) accept_all(listening);
      std::erase_if(guests, [&](Guest& guest) { return serve(guest, busy); });
    }
  }

  // False: the end.
  bool wait() {
    std::vector<pollfd> watched = {{stop, POLLIN, 0}};
    for (const auto& guest : guests) watched.push_back({guest.descriptor, POLLIN, 0});
    poll(watched.data(), watched.size(), glance_ms);
    return (watched[0].revents & POLLIN) == 0;
  }

  void accept_all(int listening) {
    int descriptor = -1;
    while (accept_from(listening, descriptor) == Accept::accepted) {
      if (descriptor >= work.settings.descriptors_max) {
        ::close(descriptor);
        continue;
      }
      if (guests.size() >= guests_max) {
        hand_over(guests.front());  // the loop will see to it when it can
        guests.erase(guests.begin());
      }
      guests.push_back({descriptor, {}});
    }
  }

  // True: no longer ours.
  bool serve(Guest& guest, base::Duration busy) {
    std::array<char, 4096> buffer;
    const auto [outcome, bytes] = read_some(guest.descriptor, buffer);
    if (outcome == Transfer::ended) {
      ::close(guest.descriptor);
      return true;
    }
    guest.bytes.append(buffer.data(), bytes);
    const Wants what = wants(guest, work.settings);
    if (what == Wants::other) hand_over(guest);
    if (what == Wants::health) answer(guest, busy);
    return what != Wants::unknown;
  }

  void answer(const Guest& guest, base::Duration busy) {
    const auto busy_ms = std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(busy).count());
    const bool well = busy < unwell_after;
    http::Response response{
        .status = well ? 200 : 503,
        .body = std::string(R"({"status":")") + (well ? "ok" : "stuck") + R"(","loop_busy_ms":)" + busy_ms + "}"};
    wire::Output output;
    http::write_response(std::move(response), {.close = true}, work.settings.http, output);
    const std::string text = output.text();
    const std::string_view piece = text;
    work.answers.add();                         // before anybody has it: who has read the answer finds it counted
    write_some(guest.descriptor, {&piece, 1});  // a few hundred bytes into an empty socket buffer
    end_writing(guest.descriptor);
    ::close(guest.descriptor);
  }

  void hand_over(Guest& guest) { work.hand_over(guest.descriptor, std::move(guest.bytes)); }
};

Watchdog::Watchdog(Work work) : thread_(std::make_unique<Thread>(std::move(work))) {}
Watchdog::~Watchdog() = default;

}  // namespace parley::net
