#include "net/acceptor.hpp"

#include "net/http/response.hpp"
#include "net/socket.hpp"
#include "net/wire/output.hpp"

namespace parley::net {
namespace {

using observe::Metric;
constexpr int accepts_per_turn = 64;
constexpr base::Duration warns_every = std::chrono::seconds(10);
constexpr std::uint64_t listener_bit = std::uint64_t{1} << 63;  // of a reactor's token: a listener, not a connection

}  // namespace

Acceptor::Acceptor(Shared& shared, Reactor& reactor, Connections& connections, At at, observe::Metrics& metrics,
                   observe::Log& log)
    : shared_(shared),
      reactor_(reactor),
      connections_(connections),
      at_(std::move(at)),
      log_(log),
      refused_for_limit_(metrics.counter(Metric::connections_refused, "limit")),
      refused_for_descriptors_(metrics.counter(Metric::connections_refused, "descriptors")),
      made_room_(metrics.counter(Metric::connections_refused, "stranger")) {}

void Acceptor::add(int listening) {
  const auto token = listener_bit | listeners_.size();
  listeners_.push_back(std::make_unique<Reactor::Watch>(reactor_, listening, token));
  armed_ = false;
}

std::vector<int> Acceptor::descriptors() const {
  std::vector<int> descriptors;
  descriptors.reserve(listeners_.size());
  for (const auto& listener : listeners_) descriptors.push_back(listener->descriptor());
  return descriptors;
}

void Acceptor::stop() {
  listeners_.clear();
}

bool Acceptor::is_listener(std::uint64_t token) {
  return (token & listener_bit) != 0;
}

void Acceptor::before_accepting() {
  if (armed_ || paused_) return;
  for (auto& listener : listeners_) listener->arm(Reactor::Ready::read);
  armed_ = true;
}

void Acceptor::on_ready(std::uint64_t listener) {
  armed_ = false;
  const int listening = listeners_[listener & ~listener_bit]->descriptor();
  const base::Duration until = shared_.clock.monotonic() + shared_.settings.reading_max;
  for (int i = 0; i < accepts_per_turn && shared_.clock.monotonic() < until; ++i) {
    int descriptor = -1;
    switch (accept_from(listening, descriptor)) {
      case Accept::none:
        return;
      case Accept::exhausted:
        return pause();
      case Accept::accepted:
        break;
    }
    if (make_room_for(descriptor)) {
      connections_.add(descriptor);
    } else {
      refuse(descriptor);
    }
  }
}

void Acceptor::take_over(int descriptor, std::span<char> bytes) {
  if (listeners_.empty()) return close_descriptor(descriptor);  // it has stopped
  if (!make_room_for(descriptor)) return refuse(descriptor);
  connections_.add(descriptor).take(bytes);
}

bool Acceptor::has_room_for(int descriptor) const {
  const auto& settings = shared_.settings;
  return connections_.count() < settings.connections_max && connections_.strangers() < settings.strangers_max &&
         descriptor < settings.descriptors_max;
}

// Who comes finds room while anybody is here that has shown no token: the oldest of them goes. So whoever opens
// connections without end keeps nobody out who shows one at once (D11).
bool Acceptor::make_room_for(int& descriptor) {
  while (!has_room_for(descriptor)) {
    if (connections_.strangers() == 0) return false;
    const ConnectionId oldest = connections_.oldest_stranger();
    connections_.find(oldest)->read_at_once();  // there may be a token in what it has sent
    if (connections_.strangers() == 0 || connections_.oldest_stranger() != oldest) continue;
    connections_.bury(oldest);
    made_room_.add();
    descriptor = with_lowest_number(descriptor);
  }
  return true;
}

void Acceptor::refuse(int descriptor) {
  refused_for_limit_.add();
  http::Response response = shared_.http->refusal(
      {}, nullptr, base::error(base::ErrorCode::OVERLOADED, "there are too many connections", "connection"));
  response.fields.emplace_back("Retry-After", "1");
  wire::Output output;
  http::write_response(std::move(response), {.close = true}, shared_.settings.http, output);
  const std::string text = output.text();
  const std::string_view piece = text;
  write_some(descriptor, {&piece, 1});
  close_descriptor(descriptor);
}

// The connection waits in the kernel's queue meanwhile; trying at once would only burn the processor (E4).
void Acceptor::pause() {
  refused_for_descriptors_.add();
  if (shared_.now >= warn_again_) {
    log_.warning("no_descriptors_left", {{"connections", connections_.count()}});
    warn_again_ = shared_.now + warns_every;
  }
  paused_ = true;
  at_(shared_.now + shared_.settings.accept_pause, [this] { paused_ = false; });
}

}  // namespace parley::net
