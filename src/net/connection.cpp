// See connection.hpp. The order of things in one turn: before_reading, on_readable → machine → port, flush.
#include "net/connection.hpp"

#include <array>

#include "base/assert.hpp"
#include "net/http/access.hpp"
#include "net/socket.hpp"
#include "net/websocket/handshake.hpp"

namespace parley::net {

Connection::Connection(Shared& shared, ConnectionId id, Reactor& reactor, int descriptor)
    : shared_(shared),
      id_(id),
      watch_(reactor, descriptor, id.value),
      http_(std::make_unique<http::ServerConnection>(shared.settings.http, output_, shared.now)) {
  shared_.figures.http.add(1);
}

Connection::~Connection() {
  (socket_ ? shared_.figures.websocket : shared_.figures.http).add(-1);
}

bool Connection::before_reading() {
  const bool had_held = phase_ == Phase::open && !held_.empty() && !reading_held_;
  if (had_held) {
    std::string bytes = std::exchange(held_, {});
    take(bytes);
  }
  const bool may_read = phase_ == Phase::lingering || (phase_ == Phase::open && !input_ended_ && !slow_ &&
                                                       !reading_held_ && !sealed_ && held_.empty());
  if (may_read) watch_.arm(Reactor::Ready::read);
  return had_held;
}

void Connection::on_readable() {
  if (phase_ == Phase::over || sealed_ || calls_are_held() || !held_.empty()) return;  // what is held comes first
  auto& buffer = shared_.read_buffer;
  const base::Duration until = shared_.clock.monotonic() + shared_.settings.reading_max;
  do {
    const auto [outcome, bytes] = read_some(watch_.descriptor(), buffer);
    if (outcome == Transfer::would_block) break;
    if (outcome == Transfer::ended) return end_of_input();
    shared_.figures.read_bytes.add(bytes);
    if (phase_ != Phase::lingering) take({buffer.data(), bytes});
    const bool more_wanted = phase_ == Phase::lingering || (phase_ == Phase::open && !reading_held_ && held_.empty());
    if (bytes < buffer.size() || !more_wanted) break;
  } while (shared_.clock.monotonic() < until);
  if (phase_ != Phase::over) shared_.wants_reading(id_);
}

void Connection::take(std::span<char> bytes) {
  if (phase_ != Phase::open) return;
  if (socket_) {
    feed_websocket(bytes);
  } else {
    std::string_view input(bytes.data(), bytes.size());
    feed_http(input);
    if (socket_) feed_websocket(bytes.last(input.size()));
  }
  after_machine();
}

void Connection::feed_http(std::string_view& input) {
  using Step = http::ServerConnection::Step;
  while (phase_ == Phase::open && !socket_) {
    if (reading_held_) {
      PARLEY_ASSERT(held_.empty());
      held_ = input;
      return;
    }
    switch (http_->receive(input, shared_.now)) {
      case Step::need_more:
      case Step::idle_over:
        return;
      case Step::blocked:
        PARLEY_ASSERT(held_.empty());
        held_ = input;
        return;
      case Step::head:
        if (!decide_head()) return;
        break;
      case Step::request:
        shared_.http->on_request({id_, http_->number()}, http_->head(), http_->body());
        break;
      case Step::refused:
        refuse_http();
        break;
    }
  }
}

// False: the connection speaks WebSocket from here on.
bool Connection::decide_head() {
  const auto& head = http_->head();
  const auto number = http_->number();
  if (auto access = http::check_access(shared_.settings.access, head); !access) {
    respond(number, shared_.http->refusal({id_, number}, &head, access.error()));
    return true;
  }
  auto decision = shared_.http->on_head({id_, number}, head);
  if (auto* response = std::get_if<http::Response>(&decision)) {
    respond(number, std::move(*response));
  } else if (std::holds_alternative<AnswerLater>(decision)) {
    http_->answer_later();
  } else if (const auto* body = std::get_if<AcceptBody>(&decision)) {
    if (http_->accept(body->bytes_max, shared_.now) == http::ServerConnection::Step::refused) refuse_http();
  } else {
    return !become_websocket(std::get<AcceptWebSocket>(decision));
  }
  return true;
}

void Connection::refuse_http() {
  const auto number = http_->number();
  respond(number, shared_.http->refusal({id_, number}, nullptr, http_->error()));
}

bool Connection::become_websocket(const AcceptWebSocket& how) {
  auto accept = websocket::check_upgrade(http_->head());
  base::Result<> upgraded;
  if (accept) upgraded = http_->upgrade("websocket", {{"Sec-WebSocket-Accept", *accept}});
  if (!accept || !upgraded) {
    const auto& error = accept ? upgraded.error() : accept.error();
    auto response = shared_.http->refusal({id_, http_->number()}, &http_->head(), error);
    if (error.code == base::ErrorCode::UPGRADE_REQUIRED) {
      response.fields.emplace_back("Sec-WebSocket-Version", "13");
    }
    response.close = true;
    respond(http_->number(), std::move(response));
    return false;
  }
  shared_.figures.http.add(-1);
  shared_.figures.websocket.add(1);
  shared_.figures.answers[1]->add();
  socket_ = std::make_unique<websocket::Connection>(
      websocket::Connection::server(shared_.settings.websocket, output_, shared_.now));
  socket_->limit_messages(how.message_bytes_max);
  const auto http = std::move(http_);  // its head is needed once more
  shared_.sockets->on_open(id_, http->head());
  return true;
}

void Connection::feed_websocket(std::span<char> input) {
  using Step = websocket::Connection::Step;
  while (phase_ == Phase::open) {
    switch (socket_->receive(input, shared_.now)) {
      case Step::need_more:
        return;
      case Step::message:
        shared_.figures.messages_in.add();
        shared_.sockets->on_message(id_, websocket::Received(*socket_));
        break;
      case Step::closed:
        return end_websocket();
    }
  }
}

void Connection::end_websocket() {
  tell_closed();
  begin_ending();
}

void Connection::after_machine() {
  if (phase_ != Phase::open) return;
  if (http_ && http_->finished()) begin_ending();
  if (!output_.empty()) want_flush();
}

void Connection::want_flush() {
  if (!std::exchange(flush_wanted_, true)) shared_.wants_flush(id_);
}

void Connection::begin_ending() {
  if (phase_ != Phase::open) return;
  phase_ = Phase::ending;
  held_ = {};
  want_flush();
}

// The peer sends no more. It may still read: answers it is owed soon are written, longer ones have no reader (a peer
// that is gone looks the same).
void Connection::end_of_input() {
  if (phase_ == Phase::ending) {  // what it has asked is written all the same
    input_ended_ = true;
    waiting_since_ = shared_.now;
    return;
  }
  if (phase_ == Phase::open && http_ && (http_->answers_owed() > 0 || !output_.empty())) {
    input_ended_ = true;
    waiting_since_ = shared_.now;
    shared_.http->on_no_more_input(id_);
    return;
  }
  cut();
}

bool Connection::respond(std::uint64_t number, http::Response&& response) {
  if (phase_ != Phase::open || !http_) return false;
  const auto status_class = static_cast<std::size_t>(response.status / 100);
  if (!http_->respond(number, std::move(response), shared_.now)) return false;
  if (status_class < shared_.figures.answers.size()) shared_.figures.answers[status_class]->add();
  if (!held_.empty() && !reading_held_) shared_.wants_reading(id_);
  after_machine();
  return true;
}

bool Connection::send(websocket::MessageKind kind, std::string&& message) {
  if (phase_ != Phase::open || !socket_ || socket_->closing()) return false;
  socket_->send(kind, std::move(message));
  shared_.figures.messages_out.add();
  after_machine();
  return true;
}

bool Connection::send(websocket::MessageKind kind, std::span<const std::string_view> pieces) {
  if (phase_ != Phase::open || !socket_ || socket_->closing()) return false;
  socket_->send_pieces(kind, pieces);
  shared_.figures.messages_out.add();
  after_machine();
  return true;
}

bool Connection::close(std::uint16_t code, std::string_view reason) {
  if (phase_ != Phase::open || !socket_ || socket_->closing()) return false;
  if (code == websocket::close_code::too_slow) count_slow();
  socket_->close(code, reason, shared_.now);
  after_machine();
  return true;
}

void Connection::hold_reading(bool held) {
  reading_held_ = held;
  if (held) return;
  if (socket_) socket_->read_again(shared_.now);
  if (http_ && input_ended_) waiting_since_ = shared_.now;
  shared_.wants_reading(id_);
}

void Connection::allow_messages() {
  if (socket_) socket_->limit_messages(shared_.settings.websocket.message_bytes_max);
}

void Connection::drain() {
  catch_up();
  if (phase_ != Phase::open) return;
  if (socket_) {
    sealed_ = true;
    return;
  }
  http_->stop_after_answers();
  after_machine();
}

void Connection::close_drained() {
  if (!sealed_) return;
  close(websocket::close_code::going_away, "the server is stopping");
  sealed_ = false;
  shared_.wants_reading(id_);
}

void Connection::cut() {
  if (phase_ == Phase::over) return;
  phase_ = Phase::over;
  want_flush();  // where the loop sees that it is over
}

void Connection::tell_closed() {
  if (std::exchange(told_closed_, true)) return;
  if (socket_)
    shared_.sockets->on_closed(id_, socket_->end());
  else
    shared_.http->on_closed(id_);
}

void Connection::on_writable() {
  flush();
}

void Connection::catch_up() {
  if (watch_.is_armed(Reactor::Ready::read)) on_readable();
  if (watch_.is_armed(Reactor::Ready::write)) on_writable();
}

void Connection::read_at_once() {
  before_reading();
  catch_up();
}

void Connection::flush() {
  flush_wanted_ = false;
  if (phase_ == Phase::over || phase_ == Phase::lingering) return;
  std::array<std::string_view, pieces_max> pieces;
  while (!output_.empty()) {
    const std::size_t count = output_.gather(pieces);
    const auto [outcome, bytes] = write_some(watch_.descriptor(), {pieces.data(), count});
    if (outcome == Transfer::ended) return cut();
    if (outcome == Transfer::would_block) break;
    owed_since_ += bytes;
    output_.consume(bytes);
    shared_.figures.written_bytes.add(bytes);
  }
  settle_output();
}

// After a write: watch for room, tell who is slow or no longer so, end what has nothing left to write.
void Connection::settle_output() {
  const auto& settings = shared_.settings;
  if (output_.size() > settings.output_bytes_max) {
    count_slow();
    return cut();
  }
  if (output_.empty()) {
    write_stalled_ = false;
    if (http_) http_->all_written(shared_.now);
    if (!held_.empty() && !reading_held_) shared_.wants_reading(id_);
  } else {
    watch_.arm(Reactor::Ready::write);
    if (!std::exchange(write_stalled_, true)) begin_stall();
    if (!slow_ && output_.size() > settings.output_high_bytes) {
      slow_ = true;
      if (socket_ && phase_ == Phase::open) shared_.sockets->on_slow(id_, output_.size());
    }
  }
  if (slow_ && output_.size() <= settings.output_high_bytes / 2) {
    slow_ = false;
    shared_.wants_reading(id_);
    if (socket_ && phase_ == Phase::open) shared_.sockets->on_drained(id_);
  }
  if (!output_.empty()) return;
  if (input_ended_ && http_ && http_->answers_owed() == 0) return cut();
  if (phase_ != Phase::ending) return;
  if (input_ended_) return cut();
  tell_closed();
  end_writing(watch_.descriptor());
  phase_ = Phase::lingering;
  waiting_since_ = shared_.now;
  shared_.wants_reading(id_);
}

void Connection::count_slow() {
  if (!std::exchange(counted_slow_, true)) shared_.figures.slow.add();
}

void Connection::begin_stall() {
  waiting_since_ = shared_.now;
  owed_since_ = unacknowledged_bytes(watch_.descriptor());
}

// The kernel has taken much that the peer has not, and takes more only when a good part of that is gone.
std::size_t Connection::taken_by_peer() const {
  return owed_since_ - std::min(owed_since_, unacknowledged_bytes(watch_.descriptor()));
}

base::Duration Connection::next_deadline() const {
  const auto& settings = shared_.settings;
  base::Duration at = never;
  if (phase_ == Phase::over) return never;
  if (phase_ == Phase::lingering) return waiting_since_ + settings.linger_timeout;
  if (write_stalled_) at = waiting_since_ + settings.write_stall_timeout;
  if (input_ended_ && !write_stalled_ && !calls_are_held()) at = waiting_since_ + settings.abandoned_timeout;
  if (phase_ != Phase::open || is_held()) return at;
  if (socket_) return std::min(at, socket_->next_deadline());
  return awaits_us() ? at : std::min(at, http_->next_deadline());
}

// A WebSocket that is not read from: its peer's pongs lie where nobody looks.
bool Connection::is_held() const {
  return socket_ && reading_held_ && !socket_->closing();
}

// Owed what we have, or not read from: an HTTP peer's own times stand still.
bool Connection::awaits_us() const {
  return http_ && (!output_.empty() || !held_.empty() || reading_held_);
}

void Connection::on_time() {
  const auto now = shared_.now;
  if (phase_ == Phase::over || now < next_deadline()) return;
  catch_up();  // what came in time counts, also where it was not read in time
  if (phase_ == Phase::over || now < next_deadline()) return;
  if (phase_ == Phase::lingering) return cut();
  if (write_stalled_ && now >= waiting_since_ + shared_.settings.write_stall_timeout) {
    if (taken_by_peer() < shared_.settings.write_stall_bytes) {
      count_slow();
      return cut();
    }
    begin_stall();
  }
  if (input_ended_ && !calls_are_held() && now >= waiting_since_ + shared_.settings.abandoned_timeout) return cut();
  if (phase_ != Phase::open || is_held()) return;
  if (socket_) {
    if (socket_->on_time(now) == websocket::Connection::Step::closed) end_websocket();
  } else if (!awaits_us()) {
    const auto step = http_->on_time(now);
    if (step == http::ServerConnection::Step::refused) refuse_http();
    if (step == http::ServerConnection::Step::idle_over) return cut();
  }
  after_machine();
}

}  // namespace parley::net
