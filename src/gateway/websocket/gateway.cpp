#include "gateway/websocket/gateway.hpp"

#include "gateway/websocket/session.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::websocket {
namespace {

constexpr base::Duration hello_timeout = std::chrono::seconds(10);

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

Gateway::Gateway(broker::Port& broker, net::Loop& loop) : broker_(broker), loop_(loop) {}
Gateway::~Gateway() = default;

void Gateway::on_open(net::ConnectionId socket, const net::http::Head& head) {
  sessions_.emplace(socket, std::make_unique<Session>(*this, socket, workspace_of(head.path)));
  greet_by(socket);
}

void Gateway::greet_by(net::ConnectionId socket) {
  loop_.at(loop_.now() + hello_timeout, [this, socket] {
    const auto session = sessions_.find(socket);
    if (session != sessions_.end() && !session->second->greeted())
      loop_.close(socket, close_code::not_authorised, "no hello in time");
  });
}

void Gateway::on_message(net::ConnectionId socket, net::websocket::MessageKind, std::string_view message) {
  const auto session = sessions_.find(socket);
  if (session == sessions_.end()) return;
  const auto frame = parser_.parse(message, frame_limits());
  if (frame)
    session->second->frame(*frame);
  else
    session->second->refuse(0, frame.error());
}

void Gateway::on_slow(net::ConnectionId socket, std::size_t) {
  if (const auto session = sessions_.find(socket); session != sessions_.end()) session->second->slow();
}

void Gateway::on_drained(net::ConnectionId socket) {
  if (const auto session = sessions_.find(socket); session != sessions_.end()) session->second->drained();
}

void Gateway::on_closed(net::ConnectionId socket, const net::websocket::End&) {
  const auto session = sessions_.find(socket);
  if (session == sessions_.end()) return;
  session->second->end();
  sessions_.erase(session);
}

}  // namespace parley::gateway::websocket
