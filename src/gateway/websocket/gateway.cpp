#include "gateway/websocket/gateway.hpp"

#include "gateway/websocket/session.hpp"
#include "net/http/target.hpp"

namespace parley::gateway::websocket {
namespace {

constexpr std::size_t spare_frames_max = 64;
constexpr std::size_t spare_bytes_max = 8 << 20;  // of their texts; what was parsed from them may need ten times that

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

Gateway::Gateway(const broker::Port& broker, net::Loop& loop, net::Workers* workers, base::Clock& clock,
                 observe::Log& log, const Settings& settings)
    : broker_(broker), loop_(loop), workers_(workers), clock_(clock), log_(log), settings_(settings) {}
Gateway::~Gateway() = default;

Session* Gateway::find(net::ConnectionId socket) {
  const auto session = sessions_.find(socket);
  return session == sessions_.end() ? nullptr : session->second.get();
}

bool Gateway::is_greeted(net::ConnectionId socket) {
  const Session* const session = find(socket);
  return !session || session->greeted();
}

void Gateway::on_open(net::ConnectionId socket, const net::http::Head& head) {
  sessions_.emplace(socket, std::make_unique<Session>(*this, socket, workspace_of(head.path)));
  loop_.at(loop_.now() + settings_.hello_timeout, [this, socket] {
    if (is_greeted(socket)) return;
    loop_.catch_up(socket);
    if (!is_greeted(socket)) find(socket)->end(close_code::not_authorised, "no hello in time");
  });
  if (!std::exchange(looking_, true)) look_at_tokens();
}

void Gateway::on_message(net::ConnectionId socket, const net::websocket::Received& message) {
  Session* const session = find(socket);
  if (!session) return;
  session->came(message);
}

std::shared_ptr<Frame> Gateway::spare_frame() {
  if (spare_frames_.empty()) return std::make_shared<Frame>(*this);
  auto frame = std::move(spare_frames_.back());
  spare_frames_.pop_back();
  spare_bytes_ -= frame->memory();
  return frame;
}

void Gateway::give_back(std::shared_ptr<Frame> frame) {
  if (spare_frames_.size() == spare_frames_max || spare_bytes_ + frame->memory() > spare_bytes_max) return;
  spare_bytes_ += frame->memory();
  frame->batch().let_go();
  spare_frames_.push_back(std::move(frame));
}

bool Gateway::is_for_worker(std::size_t bytes) const {
  return workers_ && waiting_bytes_ < settings_.waiting_max && bytes >= settings_.worker_bytes;
}

void Gateway::go_on(net::ConnectionId socket, base::Duration until) {
  Session* const session = find(socket);
  if (!session) return;
  session->go_on(until);
  forget_if_over(socket, *session);
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

void Gateway::on_closed(net::ConnectionId socket, const net::websocket::End& end) {
  Session* const session = find(socket);
  if (!session) return;
  session->closed(end.code);
  forget_if_over(socket, *session);
}

void Gateway::forget_if_over(net::ConnectionId socket, Session& session) {
  if (!session.over()) return;
  session.leave();
  sessions_.erase(socket);
}

void Gateway::look_at_tokens() {
  looking_ = !sessions_.empty();
  if (!looking_) return;
  rounds_.next(sessions_, [](const std::unique_ptr<Session>& session) { session->look_at_token(); });
  loop_.at(loop_.now() + settings_.token_look, [this] { look_at_tokens(); });
}

}  // namespace parley::gateway::websocket
