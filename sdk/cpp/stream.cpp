// The glue between a socket and the connection machine of net/websocket. Frames that lie whole in the input buffer are
// parsed where they lie.
#include "sdk/cpp/stream.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "net/websocket/connection.hpp"
#include "net/websocket/handshake.hpp"
#include "net/wire/output.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/error_text.hpp"
#include "sdk/cpp/settle_members.hpp"
#include "sdk/cpp/socket.hpp"

namespace parley::sdk {
namespace {

namespace websocket = net::websocket;
using base::ErrorCode;
using Step = websocket::Connection::Step;

// Above the server's own bounds: what it sends was within them.
constexpr websocket::Settings connection_settings{.message_bytes_max = limits_of_delivered.bytes};

std::unexpected<base::Error> ended(const websocket::End& end) {
  const std::string said = end.reason.empty() ? std::string() : ": " + end.reason;
  switch (end.code) {
    case websocket::close_code::taken_over:
      return base::fail(ErrorCode::CONFLICT, "a newer session of the same agent took over" + said, "stream",
                        "Let one process at a time read this agent's mailbox.");
    case websocket::close_code::not_authorised:
      return base::fail(ErrorCode::UNAUTHENTICATED, "the token is not this agent's, or no longer valid" + said,
                        "stream");
    case websocket::close_code::too_slow:
      return base::fail(ErrorCode::OVERLOADED, "this reader was too slow" + said, "stream",
                        "Ask for less credit, or read faster.");
    default:
      return base::fail(ErrorCode::UNREACHABLE, "the stream ended with code " + std::to_string(end.code) + said,
                        "stream");
  }
}

}  // namespace

struct Stream::State {
  State(Socket opened, const StreamOptions& options)
      : socket(std::move(opened)),
        read_bytes(options.read_bytes),
        buffer(std::make_unique<char[]>(options.read_bytes + json::padding)),
        connection(websocket::Connection::client(connection_settings, output, random, clock.monotonic())) {}

  Socket socket;
  base::SystemClock clock;
  base::SystemRandom random;
  net::wire::Output output;
  std::size_t read_bytes;
  std::unique_ptr<char[]> buffer;
  std::span<char> input;  // of the buffer: received, not yet taken
  websocket::Connection connection;
  DeliveryReader reader;
  json::Parser parser;
  std::vector<std::string_view> pieces;
  std::string text;
  std::uint64_t last_id = 0;
  std::string session;
  std::uint64_t head = 0;
  std::optional<base::Error> broken;  // of a write that `next` has not told yet

  base::Result<> shake_hands(const Endpoint& endpoint, const Access& access, std::string_view workspace,
                             base::Duration at_most);
  base::Result<> greet(const Access& access, std::string_view agent, const StreamOptions& options);

  json::Writer begin(std::string_view op) {
    text.clear();
    json::Writer out(text);
    out.begin_object().member("id", ++last_id).member("op", op);
    return out;
  }
  std::uint64_t put() {
    connection.send(websocket::MessageKind::text, std::string_view(text));
    return begin_writing();
  }
  std::uint64_t begin_writing() {
    if (auto written = write(); !written) broken = std::move(written).error();
    return last_id;
  }

  base::Result<> write();
  base::Result<std::size_t> read();
  base::Result<Frame> take_frame(std::string_view message);
  base::Result<std::optional<Frame>> received();
};

base::Result<> Stream::State::write() {
  std::array<std::string_view, 64> pieces_out;
  while (!output.empty()) {
    const std::size_t count = output.gather(pieces_out);
    PARLEY_TRY(const std::size_t written, socket.write(std::span(pieces_out).first(count)));
    if (written == 0) break;
    output.consume(written);
  }
  return {};
}

base::Result<std::size_t> Stream::State::read() {
  PARLEY_TRY(const std::size_t count, socket.read({buffer.get(), read_bytes}));
  input = {buffer.get(), count};
  return count;
}

base::Result<> Stream::State::shake_hands(const Endpoint& endpoint, const Access& access, std::string_view workspace,
                                          base::Duration at_most) {
  const auto handshake = websocket::begin_handshake(endpoint.authority, path_of(workspace, {"stream"}), {}, random);
  output.append(handshake.request);
  const auto deadline = clock.monotonic() + at_most;
  std::size_t received_bytes = 0;
  while (true) {
    PARLEY_CHECK(write());
    PARLEY_TRY(const std::size_t used, websocket::finish_handshake(handshake, {buffer.get(), received_bytes}));
    if (used > 0) {
      input = {buffer.get() + used, received_bytes - used};
      return {};
    }
    const auto left = deadline - clock.monotonic();
    if (left.count() <= 0)
      return base::fail(ErrorCode::UNREACHABLE, "the server did not answer the WebSocket handshake", access.url);
    PARLEY_CHECK(socket.wait(!output.empty(), left));
    PARLEY_TRY(const std::size_t count, socket.read({buffer.get() + received_bytes, read_bytes - received_bytes}));
    received_bytes += count;
  }
}

base::Result<> Stream::State::greet(const Access& access, std::string_view agent, const StreamOptions& options) {
  auto out = begin("hello");
  out.member("token", access.token).member("agent_id", agent).member("credit", options.credit);
  if (options.lease.count() > 0) out.member("lease", base::to_text(options.lease));
  out.end_object();
  put();
  return {};
}

base::Result<Frame> Stream::State::take_frame(std::string_view message) {
  const char* const end = buffer.get() + read_bytes;
  const bool in_buffer = message.data() >= buffer.get() && message.data() + message.size() <= end;
  PARLEY_TRY(const auto deliveries, in_buffer ? reader.read_padded(message) : reader.read(message));
  Frame frame;
  if (deliveries) {
    frame.kind = Frame::Kind::deliveries;
    frame.deliveries = *deliveries;
    return frame;
  }
  PARLEY_TRY(const json::Value whole, in_buffer ? parser.parse_padded(message, limits_of_delivered)
                                                : parser.parse(message, limits_of_delivered));
  frame.whole = whole;
  frame.re = whole.find("re").if_uint().value_or(0);
  if (whole.find("op").if_string() != "result") {
    frame.kind = Frame::Kind::other;
    return frame;
  }
  frame.kind = Frame::Kind::result;
  frame.results = whole.find("results");
  if (const auto error = whole.find("error")) frame.error = read_error(error, 400);
  return frame;
}

// A frame of what is in the input already; none where more must be read.
base::Result<std::optional<Frame>> Stream::State::received() {
  switch (connection.receive(input, clock.monotonic())) {
    case Step::need_more:
      return std::nullopt;
    case Step::closed:
      return ended(connection.end());
    case Step::message:
      break;
  }
  PARLEY_TRY(Frame frame, take_frame(connection.message()));
  return frame;
}

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

base::Result<Stream> Stream::open(const Access& access, std::string_view workspace, std::string_view agent,
                                  const StreamOptions& options) {
  PARLEY_CHECK(check_alive(access));
  PARLEY_TRY(const Endpoint endpoint, endpoint_of(access.url));
  PARLEY_TRY(Socket socket, Socket::connect(endpoint, options.connect_timeout));
  Stream stream(std::make_unique<State>(std::move(socket), options));
  State& state = *stream.state_;
  PARLEY_CHECK(state.shake_hands(endpoint, access, workspace, options.connect_timeout));
  PARLEY_CHECK(state.greet(access, agent, options));
  PARLEY_TRY(const Frame frame, stream.next(options.connect_timeout));
  if (frame.error) return std::unexpected(*frame.error);
  if (frame.whole.is_absent() || frame.whole.find("op").if_string() != "welcome")
    return base::fail(ErrorCode::UNREACHABLE, "the server did not welcome the session", access.url);
  if (const auto session = frame.whole.find("session"))
    state.session = session.is_string() ? std::string(session.as_string()) : json::to_text(session);
  state.head = frame.whole.find("head").if_uint().value_or(0);
  return stream;
}

std::uint64_t Stream::send(std::span<const std::string_view> natives) {
  State& state = *state_;
  state.text = "{\"id\":" + std::to_string(++state.last_id) + ",\"op\":\"send\",\"messages\":[";
  auto& pieces = state.pieces;
  pieces.clear();
  pieces.push_back(state.text);
  for (std::size_t i = 0; i < natives.size(); ++i) {
    if (i > 0) pieces.push_back(",");
    pieces.push_back(natives[i]);
  }
  pieces.push_back("]}");
  state.connection.send_pieces(websocket::MessageKind::text, pieces);
  return state.begin_writing();
}

std::uint64_t Stream::settle(Settlement what, std::span<const std::string_view> delivery_ids,
                             const SettleOptions& options) {
  auto out = state_->begin(name(what));
  write_settle_members(out, delivery_ids, options);
  out.end_object();
  return state_->put();
}

std::uint64_t Stream::credit(std::uint32_t deliveries) {
  state_->begin("credit").member("n", deliveries).end_object();
  return state_->put();
}

std::uint64_t Stream::drain() {
  state_->begin("drain").end_object();
  return state_->put();
}

base::Result<Frame> Stream::next(base::Duration at_most) {
  State& state = *state_;
  const auto deadline = state.clock.monotonic() + at_most;
  while (true) {
    if (state.broken) return std::unexpected(*state.broken);
    PARLEY_TRY(auto frame, state.received());
    if (frame) return std::move(*frame);
    PARLEY_CHECK(state.write());
    PARLEY_TRY(const std::size_t count, state.read());
    if (count > 0) continue;

    const auto now = state.clock.monotonic();
    if (now >= state.connection.next_deadline() && state.connection.on_time(now) == Step::closed)
      return ended(state.connection.end());
    if (now >= deadline) return Frame{};
    PARLEY_CHECK(state.socket.wait(!state.output.empty(), std::min(deadline, state.connection.next_deadline()) - now));
  }
}

int Stream::descriptor() const {
  return state_->socket.descriptor();
}

bool Stream::wants_write() const {
  return !state_->output.empty();
}

std::string_view Stream::session() const {
  return state_->session;
}

std::uint64_t Stream::head() const {
  return state_->head;
}

void Stream::close() {
  state_->connection.close(websocket::close_code::normal, "", state_->clock.monotonic());
  (void)state_->write();
}

}  // namespace parley::sdk
