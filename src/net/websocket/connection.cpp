// A frame that lies whole in the input is unmasked where it lies and never copied; others are unmasked into place, and
// so are large ones, which are mostly kept: their unmasking is the copy.
#include "net/websocket/connection.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/utf8.hpp"

namespace parley::net::websocket {
namespace {

constexpr std::size_t reserve_bytes_max = 256 << 10;  // what an announced length alone may take
constexpr std::size_t kept_bytes_max = 1 << 20;       // an assembly buffer that is kept for the next message
constexpr std::size_t spare_bytes = 64;               // behind a message, so that its keeper may pad it where it lies

// RFC 6455 §7.4 and the IANA registry: what a peer may send.
bool may_be_sent(std::uint16_t code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

// At most 125 bytes, cut between characters.
std::string close_payload(std::uint16_t code, std::string_view reason) {
  std::string payload = {static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)};
  return payload += base::beginning(reason, 123);
}

void append_masked(std::string& to, std::string_view bytes, const FrameHeader& frame, std::uint64_t phase) {
  if (!frame.masked) {
    to += bytes;
    return;
  }
  const std::size_t before = to.size();
  to.resize_and_overwrite(before + bytes.size(), [&](char* text, std::size_t size) {
    apply_mask(text + before, bytes.data(), bytes.size(), frame.key, phase);
    return size;
  });
}

}  // namespace

Connection::Connection(const Settings& settings, wire::Output& output, base::Random* masks, base::Duration now)
    : settings_(&settings), output_(&output), masks_(masks), heard_(now) {}

Connection Connection::server(const Settings& settings, wire::Output& output, base::Duration now) {
  return Connection(settings, output, nullptr, now);
}

Connection Connection::client(const Settings& settings, wire::Output& output, base::Random& masks, base::Duration now) {
  return Connection(settings, output, &masks, now);
}

Connection::Step Connection::receive(std::span<char>& input, base::Duration now) {
  if (delivered_) forget_message();
  if (!input.empty()) read_again(now);
  while (!over_) {
    const bool frame_may_be_empty = in_payload_ && frame_.payload_bytes == 0;
    if (input.empty() && !frame_may_be_empty) return Step::need_more;
    const Step step = in_payload_ ? receive_payload(input) : receive_header(input);
    if (step != Step::need_more) return step;
  }
  input = {};
  return Step::need_more;
}

Connection::Step Connection::receive_header(std::span<char>& input) {
  std::size_t used = 0;
  const std::size_t before = header_count_;
  std::string_view bytes(input.data(), input.size());
  if (before > 0) {
    const std::size_t added = std::min(input.size(), frame_header_bytes_max - before);
    std::copy_n(input.begin(), added, header_bytes_ + before);
    bytes = {header_bytes_, before + added};
  }
  switch (parse_frame_header(bytes, frame_, used)) {
    case FrameParse::malformed:
      return fail(close_code::protocol_error, "malformed frame header");
    case FrameParse::need_more:
      if (before == 0) std::copy(input.begin(), input.end(), header_bytes_);
      header_count_ = static_cast<std::uint8_t>(bytes.size());
      input = {};
      return Step::need_more;
    case FrameParse::whole:
      break;
  }
  input = input.subspan(used - before);
  header_count_ = 0;
  return begin_frame();
}

Connection::Step Connection::begin_frame() {
  const bool server = masks_ == nullptr;
  if (frame_.masked != server)
    return fail(close_code::protocol_error,
                server ? "a client's frames are masked" : "a server's frames are not masked");
  in_payload_ = true;
  payload_received_ = 0;
  if (is_control(frame_.opcode)) return Step::need_more;

  const bool continues = frame_.opcode == Opcode::continuation;
  if (continues != in_message_)
    return fail(close_code::protocol_error, continues ? "nothing to continue" : "the message before has not ended");
  if (!continues) {
    in_message_ = true;
    kind_ = frame_.opcode == Opcode::text ? MessageKind::text : MessageKind::binary;
    utf8_ = {};
  }
  const std::uint64_t most = std::min(message_limit_, settings_->message_bytes_max);
  if (frame_.payload_bytes > most - std::min<std::uint64_t>(most, assembly_.size()))
    return fail(close_code::too_large, "a message is larger than " + std::to_string(most) + " bytes");
  return Step::need_more;
}

Connection::Step Connection::receive_payload(std::span<char>& input) {
  const auto left = frame_.payload_bytes - payload_received_;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), left));
  const std::span<char> bytes = input.subspan(0, count);
  input = input.subspan(count);
  const bool whole = payload_received_ == 0 && count == left && frame_.last && frame_.opcode != Opcode::continuation;
  if (whole && !(frame_.masked && count >= settings_->kept_from_bytes)) return take_whole_frame(bytes);

  std::string& into = is_control(frame_.opcode) ? control_ : assembly_;
  const std::size_t before = into.size();
  // Untouched memory costs nothing, but a length alone must not claim it: the whole is reserved once a part has come.
  const auto expected =
      before +
      (payload_received_ + count < reserve_bytes_max ? std::min<std::uint64_t>(left, reserve_bytes_max) : left);
  if (into.capacity() < expected + spare_bytes) into.reserve(expected + spare_bytes);
  append_masked(into, {bytes.data(), bytes.size()}, frame_, payload_received_);
  payload_received_ += count;
  const bool text = !is_control(frame_.opcode) && kind_ == MessageKind::text;
  if (text && !utf8_.add(std::string_view(into).substr(before)))
    return fail(close_code::not_utf8, "a text message is not UTF-8");
  return payload_received_ == frame_.payload_bytes ? end_frame() : Step::need_more;
}

Connection::Step Connection::take_whole_frame(std::span<char> payload) {
  if (frame_.masked) apply_mask(payload.data(), payload.data(), payload.size(), frame_.key, 0);
  in_payload_ = false;
  message_ = {payload.data(), payload.size()};
  if (is_control(frame_.opcode)) return end_control_frame();
  if (kind_ == MessageKind::text && !base::is_utf8(message_))
    return fail(close_code::not_utf8, "a text message is not UTF-8");
  in_message_ = false;
  delivered_ = true;
  return close_sent_ ? Step::need_more : Step::message;
}

Connection::Step Connection::end_frame() {
  in_payload_ = false;
  if (is_control(frame_.opcode)) {
    message_ = control_;
    const auto step = end_control_frame();
    control_ = {};
    return step;
  }
  if (!frame_.last) return Step::need_more;
  if (kind_ == MessageKind::text && !utf8_.whole()) return fail(close_code::not_utf8, "a text message is not UTF-8");
  message_ = assembly_;
  in_message_ = false;
  delivered_ = true;
  if (!close_sent_) return Step::message;
  forget_message();  // what comes after our close is read over
  return Step::need_more;
}

Connection::Step Connection::end_control_frame() {
  if (frame_.opcode == Opcode::close) return take_close(message_);
  if (frame_.opcode == Opcode::ping && !close_sent_ && output_->size() < settings_->pong_backlog_max)
    put_control(Opcode::pong, message_);
  return Step::need_more;
}

Connection::Step Connection::take_close(std::string_view payload) {
  std::uint16_t code = close_code::no_code;
  if (payload.size() == 1) return fail(close_code::protocol_error, "a close code has two bytes");
  if (payload.size() >= 2) {
    code = static_cast<std::uint16_t>(static_cast<unsigned char>(payload[0]) << 8 |
                                      static_cast<unsigned char>(payload[1]));
    if (!may_be_sent(code)) return fail(close_code::protocol_error, "no such close code");
    if (!base::is_utf8(payload.substr(2))) return fail(close_code::not_utf8, "a close reason is not UTF-8");
  }
  if (!close_sent_) put_control(Opcode::close, payload.substr(0, std::min<std::size_t>(payload.size(), 2)));
  close_sent_ = over_ = true;
  end_ = {code, std::string(payload.substr(std::min<std::size_t>(payload.size(), 2)))};
  return Step::closed;
}

Connection::Step Connection::fail(std::uint16_t code, std::string_view reason) {
  if (!close_sent_) put_control(Opcode::close, close_payload(code, reason));
  close_sent_ = over_ = true;
  assembly_ = {};
  end_ = {code, std::string(reason)};
  return Step::closed;
}

void Connection::forget_message() {
  delivered_ = false;
  message_ = {};
  if (assembly_.capacity() > kept_bytes_max)
    assembly_ = {};
  else
    assembly_.clear();
}

void Connection::keep_message(std::string& kept) {
  if (message_.data() == assembly_.data())
    kept.swap(assembly_);
  else
    kept.assign(message_);
  assembly_.clear();
  message_ = {};
}

void Connection::put_header(Opcode opcode, std::uint64_t payload_bytes, MaskKey& key) {
  FrameHeader header{opcode, true, masks_ != nullptr, {}, payload_bytes};
  if (masks_ != nullptr) masks_->fill({reinterpret_cast<std::uint8_t*>(header.key.data()), header.key.size()});
  key = header.key;
  std::array<char, frame_header_bytes_max> bytes;
  output_->append(std::string_view(bytes.data(), write_frame_header(header, bytes)));
}

void Connection::put_control(Opcode opcode, std::string_view payload) {
  PARLEY_ASSERT(payload.size() <= 125);
  MaskKey key;
  std::array<char, 125> masked;
  put_header(opcode, payload.size(), key);
  apply_mask(masked.data(), payload.data(), payload.size(), key, 0);  // a server's key is zero
  output_->append(std::string_view(masked.data(), payload.size()));
}

void Connection::send(MessageKind kind, std::string_view message) {
  send_pieces(kind, {&message, 1});
}

void Connection::send(MessageKind kind, std::string&& message) {
  if (close_sent_) return;
  MaskKey key;
  put_header(kind == MessageKind::text ? Opcode::text : Opcode::binary, message.size(), key);
  if (masks_ != nullptr) apply_mask(message.data(), message.data(), message.size(), key, 0);
  output_->append(std::move(message));
}

void Connection::send_pieces(MessageKind kind, std::span<const std::string_view> pieces) {
  if (close_sent_) return;
  std::size_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  MaskKey key;
  put_header(kind == MessageKind::text ? Opcode::text : Opcode::binary, size, key);
  if (masks_ == nullptr) {
    for (const auto piece : pieces) output_->append(piece);
    return;
  }
  std::string masked;
  masked.resize_and_overwrite(size, [&](char* text, std::size_t) {
    std::size_t at = 0;
    for (const auto piece : pieces) {
      apply_mask(text + at, piece.data(), piece.size(), key, at);
      at += piece.size();
    }
    return at;
  });
  output_->append(std::move(masked));
}

void Connection::close(std::uint16_t code, std::string_view reason, base::Duration now) {
  if (close_sent_) return;
  PARLEY_ASSERT(may_be_sent(code) && base::is_utf8(reason));
  put_control(Opcode::close, close_payload(code, reason));
  close_sent_ = true;
  close_sent_at_ = now;
  end_ = {code, std::string(reason)};
}

base::Duration Connection::next_deadline() const {
  if (over_) return base::Duration::max();
  if (close_sent_) return close_sent_at_ + settings_->close_timeout;
  return heard_ + settings_->ping_after + (ping_sent_ ? settings_->pong_timeout : base::Duration{});
}

void Connection::read_again(base::Duration now) {
  heard_ = now;
  ping_sent_ = false;
}

Connection::Step Connection::on_time(base::Duration now) {
  if (now < next_deadline()) return Step::need_more;
  if (close_sent_ || ping_sent_) {
    if (!close_sent_) end_ = {close_code::abnormal, "the peer is silent"};
    close_sent_ = over_ = true;
    return Step::closed;
  }
  ping_sent_ = true;
  if (!in_message_) assembly_ = {};  // a silent connection keeps no memory
  put_control(Opcode::ping, {});
  return Step::need_more;
}

}  // namespace parley::net::websocket
