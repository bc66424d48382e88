// One socket: from hello to its end. Frames come in as documents; results leave when what they say is durable (D3).
#pragma once
#include <optional>

#include "gateway/websocket/gateway.hpp"

namespace parley::gateway::websocket {

namespace close_code {
constexpr std::uint16_t taken_over = 4001, not_authorised = 4401, too_slow = 4429;
}

class Session final : public broker::Outbox {
 public:
  Session(Gateway& gateway, net::ConnectionId socket, std::string workspace)
      : gateway_(gateway), socket_(socket), workspace_(std::move(workspace)) {}

  void frame(json::Value frame);  // the parser's newest document
  void refuse(std::uint64_t re, const base::Error& error);
  void slow() { has_room_ = false; }
  void drained();
  void end();  // the socket is closed
  bool greeted() const { return caller_.has_value(); }

  bool has_room() const override { return has_room_; }
  void deliver(std::span<const broker::Delivery> deliveries) override;
  void taken_over() override;

 private:
  base::Result<> hello(std::uint64_t id, json::Value frame);
  void send(std::uint64_t id, json::Value messages);
  base::Result<> settle(std::uint64_t id, broker::Settlement what, json::Value frame);
  void done(std::uint64_t id);
  void put(std::string frame);
  void close(std::uint16_t code, std::string_view reason);

  Gateway& gateway_;
  net::ConnectionId socket_;
  std::string workspace_;
  std::optional<broker::Caller> caller_;
  base::SessionId session_;
  bool has_room_ = true;
};

}  // namespace parley::gateway::websocket
