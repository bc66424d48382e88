#include "gateway/websocket/session.hpp"

#include <algorithm>
#include <array>

#include "base/quoted.hpp"
#include "envelope/limits.hpp"
#include "gateway/form/form.hpp"
#include "gateway/websocket/members.hpp"

namespace parley::gateway::websocket {
namespace {

using base::ErrorCode;

constexpr std::size_t sent_bytes = 128;       // what an answer has room for at once, of each message
constexpr std::size_t settled_bytes = 64;     // and of each delivery
constexpr std::size_t frames_for_worker = 4;  // of deliveries, from where on it is worth a worker

constexpr base::Duration turn_max = std::chrono::milliseconds(1);  // then the frames behind wait for another one

constexpr broker::SendOptions plain{.may_want_turn = true};  // of a message beside which nothing is said

// {"op":"result","re":…,"results":[ — what follows is the caller's.
std::string begin_result(std::uint64_t re) {
  return R"({"op":"result","re":)" + std::to_string(re) + R"(,"results":[)";
}

}  // namespace

struct Session::Operation {
  std::string_view op;
  base::Result<> (Session::*run)(std::uint64_t id, json::Value content, Frame& frame);
  std::array<std::string_view, 5> members;  // besides `op` and `id`
};

constexpr Session::Operation Session::operations[] = {
    {"send", &Session::send, {"messages", "beside"}},
    {"rescind", &Session::rescind, {"message_id", "to", "reason"}},
    {"check", &Session::check, {"delivery_ids", "message_ids"}},
    {"ack", &Session::ack, {"delivery_ids", "acted"}},
    {"acted", &Session::act, {"delivery_ids"}},
    {"nack", &Session::nack, {"delivery_ids", "delay", "reason", "code"}},
    {"extend", &Session::extend, {"delivery_ids", "lease"}},
    {"credit", &Session::credit, {"n"}},
    {"drain", &Session::drain, {}},
    {"hello", &Session::hello, {"token", "agent_id", "credit", "lease", "receipts"}},
};

std::string Session::operations_hint() {
  std::string names;
  for (const Operation& operation : operations) {
    if (operation.op == "hello") continue;  // the first frame alone
    if (!names.empty()) names += operation.op == "drain" ? " or " : ", ";
    names += operation.op;
  }
  return "Use " + names + '.';
}

void Session::put(std::string frame) {
  gateway_.broker_.gate.after_sync([&loop = gateway_.loop_, socket = socket_, frame = std::move(frame)]() mutable {
    loop.send(socket, net::websocket::MessageKind::text, std::move(frame));
  });
}

void Session::end(std::uint16_t code, std::string_view reason) {
  if (std::exchange(ended_, true)) return;
  leave();
  gateway_.broker_.gate.after_sync(
      [&loop = gateway_.loop_, socket = socket_, code, reason] { loop.close(socket, code, reason); });
}

void Session::leave() {
  if (session_ != base::SessionId{}) gateway_.broker_.sessions.close_session(std::exchange(session_, {}));
}

void Session::refuse(std::uint64_t re, const base::Error& error) {
  std::string frame = R"({"op":"result","re":)" + std::to_string(re) + R"(,"error":)";
  json::Writer writer(frame);
  form::write_error(writer, error);
  put(std::move(frame) + "}");
}

void Session::done(std::uint64_t id) {
  put(begin_result(id) + R"({"status":"done"}]})");
}

void Session::no_frame(const Frame& frame, const base::Error& error, std::uint64_t id) {
  refuse(id, error);
  log_frame(frame, {}, id, std::unexpected(error));
  if (!greeted()) end(close_code::not_authorised, "the first frame must be hello");
}

// At `debug`, once the result has left. Never a token, nor what a message says (I3).
void Session::log_frame(const Frame& frame, std::string_view op, std::uint64_t id, const base::Result<>& outcome) {
  Gateway& gateway = gateway_;
  if (!gateway.log_.wants(observe::Level::debug)) return;
  gateway.broker_.gate.after_sync([&gateway, id, socket = socket_, came = frame.came(), op = base::excerpt(op, 16),
                                   outcome = outcome ? "done" : info(outcome.error().code).name,
                                   agent = std::string(agent())] {
    const double milliseconds = static_cast<double>((gateway.clock_.monotonic() - came).count()) / 1000;
    gateway.log_.debug("frame", {{"connection", socket.value},
                                 {"op", op},
                                 {"id", id},
                                 {"outcome", outcome},
                                 {"agent", agent},
                                 {"milliseconds", milliseconds}});
  });
}

void Session::came(const net::websocket::Received& message) {
  if (ended_) return;
  const bool is_text = message.kind() == net::websocket::MessageKind::text;
  const bool for_worker = greeted() && is_text && gateway_.is_for_worker(message.text().size());
  if (for_worker || !waiting_.empty()) return wait(message, for_worker);
  gateway_.frame_.read(message.kind(), message.text());
  if (!take(gateway_.frame_)) wait(message, false);  // it is read once more then
}

void Session::wait(const net::websocket::Received& message, bool for_worker) {
  auto frame = gateway_.spare_frame();
  frame->keep(socket_, message);
  if (for_worker) {
    gateway_.broker_.messages.begin(frame->batch(), *caller_, {});
    frame->give_to(*gateway_.workers_, frame);
  }
  waiting_bytes_ += frame->bytes();
  gateway_.waiting_bytes_ += frame->bytes();
  waiting_.push_back(std::move(frame));
  hold_reading_as_needed();
}

void Session::go_on(base::Duration until) {
  while (!waiting_.empty() && !waiting_.front()->with_worker() && !waits_for_turn_) {
    const std::shared_ptr<Frame> frame = waiting_.front();
    if (!ended_ && !take(*frame)) break;
    waiting_.pop_front();
    waiting_bytes_ -= frame->bytes();
    gateway_.waiting_bytes_ -= frame->bytes();
    gateway_.give_back(frame);
    if (gateway_.clock_.monotonic() >= until && !waiting_.empty()) wait_for_turn(*waiting_.front());
  }
  hold_reading_as_needed();
}

// Only what may reach many waits for a turn: a hello, an ack or a question costs less than to keep it. False: too much
// waits already.
bool Session::wait_for_turn(const Frame& frame) {
  waits_for_turn_ =
      gateway_.broker_.gate.in_later_turn(*caller_, frame.bytes(), [&gateway = gateway_, socket = socket_] {
        if (Session* const session = gateway.find(socket)) session->waits_for_turn_ = false;
        gateway.go_on(socket, gateway.clock_.monotonic() + turn_max);
      });
  return waits_for_turn_;
}

// Senders that are faster than we are feel it (D11).
void Session::hold_reading_as_needed() {
  const Settings& settings = gateway_.settings_;
  // It is read again once a few frames have gone: a worker that has read all of them would wait else.
  const auto bound = [this](std::size_t high) { return reading_held_ ? high - high / 6 : high; };
  const bool hold =
      waiting_bytes_ >= bound(settings.waiting_high) || waiting_.size() >= bound(settings.waiting_frames_high);
  if (std::exchange(reading_held_, hold) != hold) gateway_.loop_.hold_reading(socket_, hold);
}

// What it holds goes back once the acks that came are done.
void Session::closed(std::uint16_t code) {
  gateway_.log_.debug("stream_closed", {{"connection", socket_.value}, {"agent", agent()}, {"code", code}});
  closed_ = true;
  gateway_.broker_.sessions.disconnect(session_);
}

bool Session::take(Frame& frame) {
  const auto& document = frame.document();
  if (!document) {
    no_frame(frame, document.error(), frame.id_of_refused());
    return true;
  }
  const json::Value content = *document;
  const auto id = content.find("id").if_uint();
  if (!id || !content.find("op").is_string()) {
    no_frame(frame, bad_frame("a frame needs a whole number `id` and a word `op`", {}).error(), id.value_or(0));
    return true;
  }
  const auto outcome = run(*id, content, frame);
  if (waits_for_turn_) return false;
  if (!outcome) refuse(*id, outcome.error());
  log_frame(frame, content.find("op").as_string(), *id, outcome);
  if (!outcome && !greeted()) end(close_code::not_authorised, "not authorised");
  return true;
}

base::Result<> Session::run(std::uint64_t id, json::Value content, Frame& frame) {
  const std::string_view op = content.find("op").as_string();
  const auto* const operation = std::find_if(std::begin(operations), std::end(operations),
                                             [op](const Operation& known) { return known.op == op; });
  if (!greeted() && op != "hello")
    return base::fail(ErrorCode::UNAUTHENTICATED, "the first frame must be hello", "/op",
                      R"(Begin with {"id": 1, "op": "hello", "token": TOKEN}.)");
  if (operation == std::end(operations) || (greeted() && op == "hello"))
    return bad_frame(base::quoted(op) + " is no operation here", "/op", operations_hint());
  for (const auto [key, value] : content.members()) {
    const auto& members = operation->members;
    if (key != "op" && key != "id" && (key.empty() || std::find(members.begin(), members.end(), key) == members.end()))
      return bad_frame(std::string(op) + " has no member " + base::quoted(key), '/' + base::excerpt(key, 64));
  }
  return (this->*operation->run)(id, content, frame);
}

base::Result<> Session::hello(std::uint64_t id, json::Value content, Frame&) {
  PARLEY_TRY(const std::string_view token, text_of(content, "token"));
  PARLEY_TRY(const std::string_view agent, text_of(content, "agent_id"));
  auto caller = token.empty() ? std::nullopt : gateway_.broker_.gate.caller_of(token);
  if (!caller || caller->workspace != workspace_ || (!agent.empty() && agent != caller->id)) {
    gateway_.on_unauthenticated(!token.empty() && !caller);
    return base::fail(ErrorCode::UNAUTHENTICATED, "the token is none of this agent in this workspace", "/token",
                      "Say hello with the token of an agent of this workspace.");
  }
  broker::SessionOptions options;
  if (content.find("credit")) {
    PARLEY_TRY(options.credit, credit_of(content, "credit"));
  }
  PARLEY_TRY(options.lease, form::lease_member(content));
  PARLEY_TRY(options.receipts, flag_of(content, "receipts"));
  PARLEY_TRY(session_, gateway_.broker_.sessions.open_session(*caller, *this, options));
  token_ = token;
  caller_ = std::move(caller);
  gateway_.loop_.vouch_for(socket_);

  std::string welcome;
  json::Writer writer(welcome);
  writer.begin_object().member("op", std::string_view("welcome")).member("re", id);
  writer.member("session", std::to_string(session_.value))
      .member("head", gateway_.broker_.sessions.head(*caller_).value);
  writer.key("limits").raw(gateway_.broker_.gate.limits().json).end_object();
  put(std::move(welcome));
  return {};
}

base::Result<> Session::send(std::uint64_t id, json::Value content, Frame& frame) {
  const json::Value messages = content.find("messages");
  if (!messages.is_array() || messages.size() > envelope::sent_messages_max)
    return bad_frame("`messages` is no array of at most " + std::to_string(envelope::sent_messages_max), "/messages");
  PARLEY_TRY(const auto beside, beside_of(content, messages.size()));
  if (!frame.has_batch()) {
    gateway_.broker_.messages.begin(frame.batch(), *caller_, {});
    frame.fill_batch(messages);
  }
  auto [next, result] = std::exchange(unfinished_, std::nullopt).value_or(Unfinished{0, begin_result(id)});
  result.reserve(result.size() + (frame.batch().size() - next) * sent_bytes);
  for (; next < frame.batch().size(); ++next) {
    const auto sent = send_one(frame, next, beside.empty() ? plain : beside[next]);
    if (!sent) {
      unfinished_ = Unfinished{next, std::move(result)};
      return {};
    }
    if (next > 0) result += ',';
    json::Writer one(result);
    form::write_sent(one, *sent);
  }
  put(std::move(result) + "]}");
  return {};
}

// Nothing: it waits for a later turn, and what is left of the frame with it.
std::optional<base::Result<broker::Sent>> Session::send_one(Frame& frame, std::size_t index,
                                                            const broker::SendOptions& options) {
  if (const base::Error* const defect = frame.defect_of(index)) return refused(*defect);
  if (!gateway_.broker_.gate.turn_is_full()) {
    auto sent = gateway_.broker_.messages.send(*caller_, workspace_, frame.batch(), index, &options);
    if (!sent || !sent->wants_turn) return sent;
  }
  if (wait_for_turn(frame)) return std::nullopt;
  return refused(form::too_much_waits());
}

base::Result<broker::Sent> Session::refused(const base::Error& error) {
  gateway_.broker_.messages.count_refused(*caller_, error);
  return std::unexpected(error);
}

void Session::answered(std::uint64_t id, const broker::Answer& answer) {
  put(begin_result(id) + answer.json + "]}");
}

base::Result<> Session::rescind(std::uint64_t id, json::Value content, Frame& frame) {
  PARLEY_TRY(const std::string_view message, text_of(content, "message_id"));
  PARLEY_TRY(const std::string_view to, text_of(content, "to"));
  PARLEY_TRY(const std::string_view reason, text_of(content, "reason"));
  if (gateway_.broker_.gate.turn_is_full()) {
    if (wait_for_turn(frame)) return {};
    return std::unexpected(form::too_much_waits());
  }
  auto answer = gateway_.broker_.messages.rescind(*caller_, workspace_, message, to, reason);
  if (!answer && answer.error().where == "message_id") answer.error().where = "/message_id";  // of this frame
  PARLEY_CHECK(answer);
  answered(id, *answer);
  return {};
}

base::Result<> Session::check(std::uint64_t id, json::Value content, Frame&) {
  PARLEY_TRY(const auto deliveries, texts_of(content, "delivery_ids"));
  PARLEY_TRY(const auto messages, texts_of(content, "message_ids"));
  PARLEY_TRY(const auto answer,
             gateway_.broker_.mailboxes.check(*caller_, workspace_, caller_->id, {deliveries, messages}));
  put(R"({"op":"result","re":)" + std::to_string(id) + ',' + answer.json.substr(1));
  return {};
}

base::Result<> Session::ack(std::uint64_t id, json::Value content, Frame&) {
  PARLEY_TRY(const bool acts, flag_of(content, "acted"));
  return settle(id, acts ? broker::Settlement::act : broker::Settlement::ack, content);
}

base::Result<> Session::act(std::uint64_t id, json::Value content, Frame&) {
  return settle(id, broker::Settlement::act, content);
}

base::Result<> Session::nack(std::uint64_t id, json::Value content, Frame&) {
  return settle(id, broker::Settlement::nack, content);
}

base::Result<> Session::extend(std::uint64_t id, json::Value content, Frame&) {
  return settle(id, broker::Settlement::extend, content);
}

base::Result<> Session::settle(std::uint64_t id, broker::Settlement what, json::Value content) {
  PARLEY_TRY(const auto ids, texts_of(content, "delivery_ids"));
  if (ids.empty())
    return bad_frame("`delivery_ids` is no array of 1 to " + std::to_string(envelope::listed_max), "/delivery_ids");
  broker::SettleRequest request;
  request.what = what;
  request.delivery_ids = ids;
  PARLEY_TRY(request.reason, text_of(content, "reason"));
  PARLEY_TRY(request.code, text_of(content, "code"));
  PARLEY_TRY(request.delay, form::duration_member(content, "delay"));
  PARLEY_TRY(request.lease, form::lease_member(content));
  PARLEY_TRY(const auto settled, gateway_.broker_.mailboxes.settle(*caller_, workspace_, caller_->id, request));
  std::string result = R"({"op":"result","re":)" + std::to_string(id) + R"(,"results":)";
  result.reserve(result.size() + ids.size() * settled_bytes);
  json::Writer writer(result);
  form::write_settled(writer, ids, settled);
  put(std::move(result) + "}");
  return {};
}

base::Result<> Session::credit(std::uint64_t id, json::Value content, Frame&) {
  PARLEY_TRY(const std::uint32_t credit, credit_of(content, "n"));
  gateway_.broker_.sessions.set_credit(session_, credit);
  done(id);
  return {};
}

base::Result<> Session::drain(std::uint64_t id, json::Value, Frame&) {
  gateway_.broker_.sessions.set_credit(session_, 0);
  done(id);
  return {};
}

void Session::deliver(broker::Deliveries deliveries) {
  gateway_.log_.debug("delivered",
                      {{"connection", socket_.value}, {"agent", agent()}, {"deliveries", deliveries.all.size()}});
  const DeliverFrames frames = frames_of(std::move(deliveries));
  const bool for_worker = gateway_.workers_ && frames.size() >= frames_for_worker;
  if (for_worker) gateway_.workers_->add(std::make_shared<MakeFrames>(frames));
  for (const auto& frame : frames) {
    if (!for_worker) frame->make_unless_begun();
    push(frame->bytes(), [frame] { return frame->take(); });
  }
}

void Session::receipts(std::span<const broker::ReceiptChange> changes, std::uint64_t left_out) {
  std::string frame;
  json::Writer writer(frame);
  writer.begin_object().member("op", std::string_view("receipts")).key("receipts").begin_array();
  for (const broker::ReceiptChange& change : changes) form::write_receipt(writer, change);
  writer.end_array();
  if (left_out > 0) writer.member("left_out", left_out);
  writer.end_object();
  const std::size_t bytes = frame.size();
  push(bytes, [frame = std::move(frame)]() mutable { return std::move(frame); });
}

template <class Make>
void Session::push(std::size_t bytes, Make make) {
  unsent_bytes_ += bytes;
  gateway_.broker_.gate.after_sync([&gateway = gateway_, socket = socket_, bytes, make = std::move(make)]() mutable {
    gateway.loop_.send(socket, net::websocket::MessageKind::text, make());
    if (Session* const session = gateway.find(socket)) session->sent(bytes);
  });
}

// Handed to the loop, which says when it is too much.
void Session::sent(std::size_t bytes) {
  const bool had_room = has_room();
  unsent_bytes_ -= bytes;
  if (!had_room && has_room()) gateway_.broker_.sessions.outbox_has_room(session_);
}

std::uint32_t Session::slow() {
  slow_ = true;
  return ++slownesses_;
}

void Session::still_slow(std::uint32_t since) {
  if (slow_ && since == slownesses_) end(close_code::too_slow, "what was delivered is not read");
}

void Session::drained() {
  slow_ = false;
  if (session_ != base::SessionId{}) gateway_.broker_.sessions.outbox_has_room(session_);
}

void Session::look_at_token() {
  if (ended_ || !greeted()) return;
  if (!gateway_.broker_.gate.caller_of(token_)) end(close_code::not_authorised, "the token is no longer valid");
}

void Session::taken_over() {
  session_ = {};  // the broker has closed it
  end(close_code::taken_over, "a newer session of this agent took over");
}

void Session::removed() {
  session_ = {};
  end(close_code::not_authorised, "the agent was removed");
}

}  // namespace parley::gateway::websocket
