// One socket: from hello to its end. Frames are taken in their order, also where a worker reads some of them; results
// leave when what they say is durable (D3).
#pragma once
#include <deque>
#include <optional>

#include "gateway/websocket/deliver_frame.hpp"
#include "gateway/websocket/gateway.hpp"

namespace parley::gateway::websocket {

namespace close_code = net::websocket::close_code;

class Session final : public broker::Outbox {
 public:
  Session(Gateway& gateway, net::ConnectionId socket, std::string workspace)
      : gateway_(gateway), socket_(socket), workspace_(std::move(workspace)) {}

  void came(const net::websocket::Received& message);
  // A frame that others may wait for was read, or a turn has come, which lasts until then.
  void go_on(base::Duration until);
  void closed(std::uint16_t code);  // nothing more comes, and nothing more can be said: what came is still taken
  bool over() const { return closed_ && waiting_.empty(); }
  bool greeted() const { return caller_.has_value(); }
  std::string_view agent() const { return caller_ ? std::string_view(caller_->id) : std::string_view(); }

  std::uint32_t slow();  // the peer does not take what is written; names this slowness
  void still_slow(std::uint32_t since);
  void drained();
  void look_at_token();

  void end(std::uint16_t code, std::string_view reason);  // closes the socket, once; `reason` is static text
  void leave();                                           // the socket is closed, or about to be: leases go back

  bool has_room() const override { return !slow_ && unsent_bytes_ < unsent_bytes_max; }
  void deliver(broker::Deliveries deliveries) override;
  void receipts(std::span<const broker::ReceiptChange> changes, std::uint64_t left_out) override;
  void taken_over() override;
  void removed() override;

 private:
  // Deliveries handed over in one turn, before the loop can say that the peer is slow.
  static constexpr std::size_t unsent_bytes_max = 4 << 20;

  // What has been said of a frame's messages, where a turn was full before the last of them (D11).
  struct Unfinished {
    std::size_t next = 0;
    std::string result;
  };

  struct Operation;
  static const Operation operations[];

  void wait(const net::websocket::Received& message, bool for_worker);
  bool wait_for_turn(const Frame& frame);
  void hold_reading_as_needed();
  bool take(Frame& frame);  // false: it, or some of its messages, waits for a later turn
  void no_frame(const Frame& frame, const base::Error& error, std::uint64_t id);  // what came was none
  void log_frame(const Frame& frame, std::string_view op, std::uint64_t id, const base::Result<>& outcome);

  static std::string operations_hint();
  // `content` is the frame's document.
  base::Result<> hello(std::uint64_t id, json::Value content, Frame&);
  base::Result<> send(std::uint64_t id, json::Value content, Frame& frame);
  std::optional<base::Result<broker::Sent>> send_one(Frame& frame, std::size_t index,
                                                     const broker::SendOptions& options);
  base::Result<broker::Sent> refused(const base::Error& error);  // one of a frame's messages
  base::Result<> rescind(std::uint64_t id, json::Value content, Frame& frame);
  base::Result<> check(std::uint64_t id, json::Value content, Frame&);
  base::Result<> ack(std::uint64_t id, json::Value content, Frame&);
  base::Result<> act(std::uint64_t id, json::Value content, Frame&);
  base::Result<> nack(std::uint64_t id, json::Value content, Frame&);
  base::Result<> extend(std::uint64_t id, json::Value content, Frame&);
  base::Result<> settle(std::uint64_t id, broker::Settlement what, json::Value content);
  base::Result<> credit(std::uint64_t id, json::Value content, Frame&);
  base::Result<> drain(std::uint64_t id, json::Value content, Frame&);
  base::Result<> run(std::uint64_t id, json::Value content, Frame& frame);

  void refuse(std::uint64_t re, const base::Error& error);
  void done(std::uint64_t id);
  void answered(std::uint64_t id, const broker::Answer& answer);
  void put(std::string frame);
  // The frame that `make()` gives, once; counts as unsent until the loop has it.
  template <class Make>
  void push(std::size_t bytes, Make make);
  void sent(std::size_t bytes);

  Gateway& gateway_;
  net::ConnectionId socket_;
  std::string workspace_;
  std::string token_;
  std::optional<broker::Caller> caller_;
  base::SessionId session_;                     // 0: none, or no longer
  std::deque<std::shared_ptr<Frame>> waiting_;  // the first is with a worker, or waits for a turn
  bool waits_for_turn_ = false;
  std::optional<Unfinished> unfinished_;  // of the first, or of the frame that was just taken
  std::size_t waiting_bytes_ = 0;
  bool reading_held_ = false;
  std::size_t unsent_bytes_ = 0;
  std::uint32_t slownesses_ = 0;
  bool slow_ = false;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace parley::gateway::websocket
