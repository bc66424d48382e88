#include "gateway/websocket/gateway.hpp"

#include "gateway/websocket/session.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::websocket {
namespace {

using base::ErrorCode;

constexpr std::size_t looks_a_round = 8;

json::Limits frame_limits() {
  json::Limits limits;
  limits.bytes = 8 << 20;
  limits.depth += 2;  // a message inside a frame's array
  return limits;
}

// "/v1/workspaces/{workspace}/stream", as the router let it through.
std::string workspace_of(std::string_view path) {
  constexpr std::string_view before = "/v1/workspaces/";
  constexpr std::string_view after = "/stream";
  if (path.size() <= before.size() + after.size()) return {};
  path.remove_prefix(before.size());
  path.remove_suffix(after.size());
  return net::http::percent_decoded(path).value_or("");
}

}  // namespace

Gateway::Gateway(broker::Port& broker, net::Loop& loop, const Settings& settings)
    : broker_(broker), loop_(loop), settings_(settings) {}
Gateway::~Gateway() = default;

Session* Gateway::find(net::ConnectionId socket) {
  const auto session = sessions_.find(socket);
  return session == sessions_.end() ? nullptr : session->second.get();
}

void Gateway::on_open(net::ConnectionId socket, const net::http::Head& head) {
  sessions_.emplace(socket, std::make_unique<Session>(*this, socket, workspace_of(head.path)));
  loop_.at(loop_.now() + settings_.hello_timeout, [this, socket] {
    if (Session* const session = find(socket); session && !session->greeted())
      session->end(close_code::not_authorised, "no hello in time");
  });
  if (!std::exchange(looking_, true)) look_at_tokens();
}

void Gateway::on_message(net::ConnectionId socket, net::websocket::MessageKind kind, std::string_view message) {
  Session* const session = find(socket);
  if (!session) return;
  if (kind != net::websocket::MessageKind::text)
    return session->no_frame({ErrorCode::BAD_FRAME, "frames are text", {}, {}, {}, {}});
  const auto frame = parser_.parse(message, frame_limits());
  if (!frame) return session->no_frame(frame.error());
  session->frame(*frame);
}

void Gateway::on_slow(net::ConnectionId socket, std::size_t) {
  Session* const session = find(socket);
  if (!session) return;
  loop_.at(loop_.now() + settings_.slow_patience, [this, socket, since = session->slow()] {
    if (Session* const slow = find(socket)) slow->still_slow(since);
  });
}

void Gateway::on_drained(net::ConnectionId socket) {
  if (Session* const session = find(socket)) session->drained();
}

void Gateway::on_closed(net::ConnectionId socket, const net::websocket::End&) {
  if (Session* const session = find(socket)) session->leave();
  sessions_.erase(socket);
}

void Gateway::look_at_tokens() {
  looking_ = !sessions_.empty();
  if (!looking_) return;
  for (std::size_t left = sessions_.size() / looks_a_round + 1; left > 0; --left) {
    auto next = sessions_.upper_bound(looked_at_);
    if (next == sessions_.end()) next = sessions_.begin();
    looked_at_ = next->first;
    next->second->look_at_token();
  }
  loop_.at(loop_.now() + settings_.token_look, [this] { look_at_tokens(); });
}

}  // namespace parley::gateway::websocket
