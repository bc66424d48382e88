#include "gateway/websocket/session.hpp"

#include "gateway/form/form.hpp"

namespace parley::gateway::websocket {
namespace {

using base::ErrorCode;

constexpr std::size_t batch_max = 1'000;
constexpr std::uint32_t credit_max = 100'000;

// {"op":"result","re":…,"results":[ — what follows is the caller's.
std::string begin_result(std::uint64_t re) {
  return R"({"op":"result","re":)" + std::to_string(re) + R"(,"results":[)";
}

base::Result<base::Duration> duration(json::Value frame, std::string_view key) {
  const auto text = frame.find(key).if_string();
  return text ? base::parse_duration(*text) : base::Duration{};
}

base::Result<std::uint32_t> credit_of(json::Value value) {
  if (!value) return 0u;
  if (const auto count = value.if_uint(); count && *count <= credit_max) return static_cast<std::uint32_t>(*count);
  return base::fail(ErrorCode::BAD_FRAME, "credit is no whole number up to " + std::to_string(credit_max), "/credit");
}

}  // namespace

void Session::put(std::string frame) {
  gateway_.broker_.after_sync([&loop = gateway_.loop_, socket = socket_, frame = std::move(frame)]() mutable {
    loop.send(socket, net::websocket::MessageKind::text, std::move(frame));
  });
}

void Session::close(std::uint16_t code, std::string_view reason) {
  gateway_.broker_.after_sync(
      [&loop = gateway_.loop_, socket = socket_, code, reason] { loop.close(socket, code, reason); });
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

void Session::frame(json::Value frame) {
  const auto op = frame.find("op").if_string();
  const std::uint64_t id = frame.find("id").if_uint().value_or(0);
  if (!op || !frame.find("id").if_uint())
    return refuse(id, {ErrorCode::BAD_FRAME, "a frame needs a whole number `id` and a word `op`", {}, {}, {}, {}});
  if (!caller_) {
    const auto greeting =
        *op == "hello" ? hello(id, frame) : base::fail(ErrorCode::UNAUTHENTICATED, "the first frame must be hello");
    if (greeting) return;
    refuse(id, greeting.error());
    return close(close_code::not_authorised, "not authorised");
  }
  if (*op == "send") return send(id, frame.find("messages"));
  base::Result<> result;
  if (*op == "ack") {
    result = settle(id, broker::Settlement::ack, frame);
  } else if (*op == "nack") {
    result = settle(id, broker::Settlement::nack, frame);
  } else if (*op == "extend") {
    result = settle(id, broker::Settlement::extend, frame);
  } else if (*op == "credit" || *op == "drain") {
    const auto credit = *op == "drain" ? base::Result<std::uint32_t>(0u) : credit_of(frame.find("n"));
    if (credit) {
      gateway_.broker_.set_credit(session_, *credit);
      done(id);
    } else {
      result = std::unexpected(credit.error());
    }
  } else {
    result = base::fail(ErrorCode::BAD_FRAME, "'" + std::string(op->substr(0, 64)) + "' is no operation", "/op",
                        "Use send, ack, nack, extend, credit or drain.");
  }
  if (!result) refuse(id, result.error());
}

base::Result<> Session::hello(std::uint64_t id, json::Value frame) {
  auto caller = gateway_.broker_.caller_of(frame.find("token").if_string().value_or(""));
  const auto agent = frame.find("agent_id").if_string();
  if (!caller || caller->workspace != workspace_ || (agent && *agent != caller->id))
    return base::fail(ErrorCode::UNAUTHENTICATED, "the token is none of this agent in this workspace", "/token");
  PARLEY_TRY(const std::uint32_t credit, credit_of(frame.find("credit")));
  PARLEY_TRY(const base::Duration lease, duration(frame, "lease"));
  PARLEY_TRY(session_, gateway_.broker_.open_session(*caller, *this, {credit, lease}));
  caller_ = std::move(caller);

  std::string welcome;
  json::Writer writer(welcome);
  writer.begin_object().member("op", std::string_view("welcome")).member("re", id);
  writer.member("session", std::to_string(session_.value)).member("head", gateway_.broker_.head(*caller_).value);
  writer.key("limits").raw(gateway_.broker_.limits().json).end_object();
  put(std::move(welcome));
  return {};
}

void Session::send(std::uint64_t id, json::Value messages) {
  if (!messages.is_array() || messages.size() > batch_max)
    return refuse(id, {ErrorCode::BAD_FRAME,
                       "`messages` is no array of at most " + std::to_string(batch_max),
                       {},
                       "/messages",
                       {},
                       {}});
  auto& slices = gateway_.slices_;
  gateway_.parser_.slices(messages, slices);
  std::string result = begin_result(id);
  std::size_t i = 0;
  for (const json::Value message : messages.elements()) {
    if (i > 0) result += ',';
    json::Writer writer(result);
    form::write_sent(writer, gateway_.broker_.send(*caller_, workspace_, {slices[i++], message}, {}));
  }
  put(std::move(result) + "]}");
}

base::Result<> Session::settle(std::uint64_t id, broker::Settlement what, json::Value frame) {
  const json::Value list = frame.find("delivery_ids");
  if (!list.is_array() || list.size() > credit_max)
    return base::fail(ErrorCode::BAD_FRAME, "`delivery_ids` is no array", "/delivery_ids");
  std::vector<std::string_view> ids;
  ids.reserve(list.size());
  for (const json::Value item : list.elements()) ids.push_back(item.if_string().value_or(""));
  broker::SettleRequest request{.what = what, .delivery_ids = ids};
  request.reason = frame.find("reason").if_string().value_or("");
  PARLEY_TRY(request.lease, duration(frame, "lease"));
  if (frame.find("delay")) {
    PARLEY_TRY(request.delay, duration(frame, "delay"));
  }
  PARLEY_TRY(const auto settled, gateway_.broker_.settle(*caller_, workspace_, caller_->id, request));
  std::string result = R"({"op":"result","re":)" + std::to_string(id) + R"(,"results":)";
  json::Writer writer(result);
  form::write_settled(writer, ids, settled);
  put(std::move(result) + "}");
  return {};
}

void Session::deliver(std::span<const broker::Delivery> deliveries) {
  std::size_t bytes = 64;
  for (const broker::Delivery& delivery : deliveries) bytes += delivery.message.size() + 256;
  std::string frame;
  frame.reserve(bytes);
  frame = R"({"op":"deliver","deliveries":[)";
  for (const broker::Delivery& delivery : deliveries) {
    if (frame.back() != '[') frame += ',';
    form::append_delivery(frame, delivery);
  }
  frame += "]}";
  put(std::move(frame));
}

void Session::drained() {
  has_room_ = true;
  gateway_.broker_.outbox_has_room(session_);
}

void Session::taken_over() {
  session_ = {};
  close(close_code::taken_over, "a newer session of this agent took over");
}

void Session::end() {
  if (session_ != base::SessionId{}) gateway_.broker_.close_session(session_);
}

}  // namespace parley::gateway::websocket
