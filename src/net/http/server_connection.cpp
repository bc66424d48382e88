// Reading keeps no copy where head and body arrive together: then the views point into the caller's buffer.
#include "net/http/server_connection.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::net::http {
namespace {

constexpr std::size_t kept_fields = 32;       // memory an idle connection may keep for the next head
constexpr std::size_t reserve_bytes = 65536;  // for a body announced, before it comes

void move_views(Head& head, const char* from, const char* to) {
  const auto moved = [&](std::string_view& view) {
    if (!view.empty()) view = {to + (view.data() - from), view.size()};
  };
  for (auto* view : {&head.method, &head.path, &head.query, &head.host}) moved(*view);
  for (auto& field : head.fields) {
    moved(field.name);
    moved(field.value);
  }
}

}  // namespace

ServerConnection::ServerConnection(const Settings& settings, wire::Output& output, base::Duration now)
    : settings_(settings), output_(output), since_(now) {}

ServerConnection::Step ServerConnection::receive(std::string_view& input, base::Duration now) {
  if (delivered_) forget_request();
  if (stopped_) {
    input = {};
    return Step::need_more;
  }
  PARLEY_ASSERT(state_ != State::decision);  // a head waits for accept, respond or upgrade
  switch (state_) {
    case State::head:
      return receive_head(input, now);
    case State::length_body: {
      body_comes(input, now);
      const bool discarded = discarding_;
      const auto step = receive_length_body(input);
      return discarded && !discarding_ ? receive(input, now) : step;
    }
    case State::chunked_body:
      body_comes(input, now);
      return receive_chunked_body(input);
    case State::decision:
      break;
  }
  return Step::need_more;
}

// Also without being told to continue: then it is not told any more (RFC 9110 §10.1.1).
void ServerConnection::body_comes(std::string_view input, base::Duration now) {
  if (input.empty() || !std::exchange(continue_due_, false)) return;
  since_ = now;
}

ServerConnection::Step ServerConnection::receive_head(std::string_view& input, base::Duration now) {
  if (input.empty()) return Step::need_more;
  if (waiting_.size() >= settings_.pipelined_max || output_.size() > settings_.unwritten_max) return Step::blocked;
  if (head_text_.empty()) since_ = now;

  // The common case first: the whole head is in the input.
  const bool kept = !head_text_.empty();
  std::size_t added = 0;
  if (kept) {
    added =
        std::min(input.size(), settings_.head_bytes_max + 1 - std::min(head_text_.size(), settings_.head_bytes_max));
    head_text_ += input.substr(0, added);
  }
  std::string_view text = kept ? std::string_view(head_text_) : input;

  if (!empty_line_read_ && text.starts_with('\r') && (text.size() == 1 || text[1] == '\n')) {
    if (text.size() == 1) {
      head_text_ = text;
      input = {};
      return Step::need_more;
    }
    empty_line_read_ = true;
    input.remove_prefix(kept ? 1 : 2);
    head_text_.clear();
    return receive_head(input, now);
  }

  auto length = scan_.look(text, settings_);
  if (!length) return refuse(std::move(length).error());
  if (*length == 0) {
    if (!kept) head_text_ = text;
    input = {};
    return Step::need_more;
  }
  if (kept) {
    input.remove_prefix(added - (head_text_.size() - *length));
    head_text_.resize(*length);
    head_kept_ = true;
    return begin_request(head_text_);
  }
  input.remove_prefix(*length);
  return begin_request(text.substr(0, *length));
}

ServerConnection::Step ServerConnection::begin_request(std::string_view text) {
  if (auto fine = parse_head(text, settings_, head_); !fine) return refuse(std::move(fine).error());
  const bool close = !head_.keep_alive || draining_;
  waiting_.push_back({next_number_++, {head_.method == "HEAD", head_.http_1_0, close}, std::nullopt});
  state_ = State::decision;
  body_left_ = head_.content_length;
  body_received_ = 0;
  return Step::head;
}

ServerConnection::Step ServerConnection::accept(std::uint64_t body_bytes_max, base::Duration now) {
  PARLEY_ASSERT(state_ == State::decision);
  if (head_.content_length > body_bytes_max) {
    next_number_ -= 1;  // the refusal takes the request's place
    waiting_.pop_back();
    return refuse({base::ErrorCode::PAYLOAD_TOO_LARGE,
                   "the body has " + std::to_string(head_.content_length) + " bytes, allowed are " +
                       std::to_string(body_bytes_max),
                   {},
                   "Content-Length",
                   {},
                   {}});
  }
  since_ = now;
  continue_due_ = head_.expects_continue && head_.has_body();
  state_ = head_.chunked ? State::chunked_body : State::length_body;
  if (head_.chunked) chunks_ = std::make_unique<ChunkedBody>(body_bytes_max);
  return Step::need_more;
}

ServerConnection::Step ServerConnection::receive_length_body(std::string_view& input) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), body_left_));
  const bool whole = body_received_ == 0 && count == body_left_;
  const std::string_view bytes = input.substr(0, count);
  input.remove_prefix(count);
  body_left_ -= count;
  body_received_ += count;
  if (whole && !discarding_) {
    body_view_ = bytes;
    return finish_request();
  }
  if (!discarding_) {
    if (body_received_ == count) body_.reserve(std::min<std::uint64_t>(head_.content_length, reserve_bytes));
    body_ += bytes;
  }
  if (body_left_ == 0) {
    body_view_ = body_;
    return finish_request();
  }
  keep_head();
  write_answers(since_);
  return Step::need_more;
}

ServerConnection::Step ServerConnection::receive_chunked_body(std::string_view& input) {
  keep_head();
  body_received_ += input.size();
  auto whole = chunks_->receive(input, body_);
  if (!whole) {
    const auto number = waiting_.back().number;
    PARLEY_ASSERT(number + 1 == next_number_);
    next_number_ -= 1;
    waiting_.pop_back();
    return refuse(std::move(whole).error());
  }
  if (*whole) {
    body_view_ = body_;
    return finish_request();
  }
  write_answers(since_);
  return Step::need_more;
}

ServerConnection::Step ServerConnection::finish_request() {
  state_ = State::head;
  delivered_ = true;
  continue_due_ = false;
  stopped_ = draining_ || (!discarding_ && waiting_.back().framing.close);  // RFC 9112 §9.6: nothing after a close
  if (!discarding_) return Step::request;
  forget_request();
  return Step::need_more;
}

ServerConnection::Step ServerConnection::refuse(base::Error error) {
  error_ = std::move(error);
  waiting_.push_back({next_number_++, {false, false, true}, std::nullopt});
  state_ = State::head;
  stopped_ = true;
  continue_due_ = false;
  return Step::refused;
}

void ServerConnection::forget_request() {
  delivered_ = discarding_ = head_kept_ = empty_line_read_ = false;
  scan_ = {};
  head_text_ = {};
  body_ = {};
  body_view_ = {};
  chunks_.reset();
  auto fields = std::move(head_.fields);
  head_ = {};
  fields.clear();
  if (fields.capacity() <= kept_fields) head_.fields = std::move(fields);
}

// The input that the head points into is about to go.
void ServerConnection::keep_head() {
  if (head_kept_) return;
  head_kept_ = true;
  const char* from = head_.method.data();  // the head's first byte
  const auto& last = head_.fields.back();  // never empty: there is a Host
  const char* end = std::max(last.value.data() + last.value.size(), last.name.data() + last.name.size());
  head_text_.assign(from, static_cast<std::size_t>(end - from));
  move_views(head_, from, head_text_.data());
}

bool ServerConnection::respond(std::uint64_t number, Response&& response, base::Duration now) {
  const auto place = std::ranges::find(waiting_, number, &Waiting::number);
  if (place == waiting_.end() || place->response) return false;
  place->framing.close = place->framing.close || response.close;
  place->response = std::move(response);
  if (number + 1 == next_number_ && state_ != State::head && !discarding_) leave_body_unread(*place);
  write_answers(now);
  return true;
}

void ServerConnection::answer_later() {
  PARLEY_ASSERT(state_ == State::decision);
  leave_body_unread(waiting_.back());
}

// A short body that surely comes is read over, so that the connection can go on; else it ends with the answer.
void ServerConnection::leave_body_unread(Waiting& answered) {
  const bool undecided = state_ == State::decision;
  continue_due_ = false;
  if (undecided && !head_.has_body()) {
    state_ = State::head;
    delivered_ = true;
    stopped_ = answered.framing.close;
  } else if (undecided && !head_.chunked && !head_.expects_continue &&
             head_.content_length <= settings_.discarded_body_bytes_max && !answered.framing.close) {
    discarding_ = true;
    state_ = State::length_body;
  } else {
    answered.framing.close = true;
    state_ = State::head;
    delivered_ = true;
    stopped_ = true;
  }
}

void ServerConnection::write_answers(base::Duration now) {
  std::size_t written = 0;
  for (auto& next : waiting_) {
    if (!next.response) break;
    write_response(std::move(*next.response), next.framing, settings_, output_);
    ++written;
    answered_any_ = true;
    if (state_ == State::head && (head_text_.empty() || delivered_)) since_ = now;
    if (next.framing.close) {
      stopped_ = true;
      written = waiting_.size();  // what was asked after it stays unanswered
      break;
    }
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(written));
  if (waiting_.empty()) waiting_ = {};
  if (continue_due_ && waiting_.size() == 1 && body_received_ == 0) {
    output_.append(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
    continue_due_ = false;
    since_ = now;
  }
}

base::Result<> ServerConnection::upgrade(std::string_view protocol,
                                         const std::vector<std::pair<std::string_view, std::string>>& fields) {
  PARLEY_ASSERT(state_ == State::decision);
  if (draining_) return base::fail(base::ErrorCode::SHUTTING_DOWN, "the server is stopping");
  if (head_.has_body() || waiting_.size() > 1 || head_.http_1_0)
    return base::fail(base::ErrorCode::BAD_REQUEST, "an upgrade has no body and follows no unanswered request",
                      "Upgrade");
  Response response{.status = 101, .content_type = {}, .fields = fields, .body = {}, .close = false};
  response.fields.emplace_back("Upgrade", std::string(protocol));
  response.fields.emplace_back("Connection", "Upgrade");
  write_response(std::move(response), {}, settings_, output_);
  waiting_.clear();
  state_ = State::head;
  delivered_ = stopped_ = true;
  return {};
}

base::Duration ServerConnection::next_deadline() const {
  if (stopped_) return base::Duration::max();
  switch (state_) {
    case State::head:
      if (!head_text_.empty() && !delivered_) return since_ + settings_.head_timeout;
      if (!waiting_.empty()) return base::Duration::max();
      return since_ + (answered_any_ ? settings_.idle_timeout : settings_.head_timeout);
    case State::length_body:
    case State::chunked_body:
      if (continue_due_) return base::Duration::max();  // its sender waits for us
      return since_ + settings_.body_grace + std::chrono::seconds(body_received_ / settings_.body_bytes_per_s_min);
    case State::decision:
      break;
  }
  return base::Duration::max();
}

ServerConnection::Step ServerConnection::on_time(base::Duration now) {
  if (now < next_deadline()) return Step::need_more;
  if (state_ == State::head && (head_text_.empty() || delivered_)) {
    stopped_ = true;
    return Step::idle_over;
  }
  if (discarding_) {
    stopped_ = true;
    if (waiting_.empty()) return Step::idle_over;  // its answer has been given
    waiting_.back().framing.close = true;
    discarding_ = false;
    state_ = State::head;
    delivered_ = true;
    return Step::need_more;
  }
  if (state_ != State::head) {  // the refusal takes the request's place
    next_number_ -= 1;
    waiting_.pop_back();
  }
  return refuse(base::error(base::ErrorCode::REQUEST_TIMEOUT, "the request did not arrive in time", "HTTP request"));
}

void ServerConnection::all_written(base::Duration now) {
  since_ = now;
}

void ServerConnection::stop_after_answers() {
  draining_ = true;
  if (state_ != State::head || (!head_text_.empty() && !delivered_)) {  // the request coming in is the last
    if (state_ != State::head && !waiting_.empty()) waiting_.back().framing.close = true;
    if (discarding_) stopped_ = true;
    return;
  }
  stopped_ = true;
  if (!waiting_.empty()) waiting_.back().framing.close = true;
}

}  // namespace parley::net::http
