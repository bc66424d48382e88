// The stream (`GET …/stream`): one agent's session over WebSocket, messages and settlements in, results and deliveries
// out. docs/reference/websocket.md has the frames. Resource type, the loop's thread; what it is given outlives it.
// Large frames are read, and those of many deliveries made, by workers, where there are any; each session takes its
// frames in their order.
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "broker/port.hpp"
#include "gateway/form/rounds.hpp"
#include "gateway/websocket/frame.hpp"
#include "net/loop.hpp"
#include "observe/log.hpp"

namespace parley::gateway::websocket {

class Session;

struct Settings {
  base::Duration hello_timeout = std::chrono::seconds(10);
  base::Duration slow_patience = std::chrono::seconds(10);     // with more unwritten than the loop's bound
  base::Duration token_look = std::chrono::milliseconds(100);  // each looks at an eighth of the sessions (I4)
  std::size_t worker_bytes = 16 << 10;                         // of a frame, from where on it is worth a worker
  std::size_t waiting_high = 1 << 20;    // bytes of a session's frames that wait, from where on it is not read from
  std::size_t waiting_frames_high = 64;  // likewise
  std::size_t soon_bytes = 80 << 10;     // of all that waits, up to which it is read soon
  std::size_t waiting_max = 8 << 20;     // bytes of all sessions, from where on no worker is given more
};

class Gateway final : public net::WebSocketPort {
 public:
  // Without workers the loop reads everything itself; they must be gone before the loop turns without the gateway.
  Gateway(const broker::Port& broker, net::Loop& loop, net::Workers* workers, base::Clock& clock, observe::Log& log,
          const Settings& settings = {});
  ~Gateway() override;

  void on_open(net::ConnectionId socket, const net::http::Head& head) override;
  void on_message(net::ConnectionId socket, const net::websocket::Received& message) override;
  void on_slow(net::ConnectionId socket, std::size_t unwritten_bytes) override;
  void on_drained(net::ConnectionId socket) override;
  void on_closed(net::ConnectionId socket, const net::websocket::End& end) override;

  bool idle() const { return waiting_bytes_ == 0; }  // no frame waits for its turn
  // Of frames that workers have: whether all are read within some syncs' time.
  bool frames_come_soon() const { return frames_with_workers_ > 0 && waiting_bytes_ <= settings_.soon_bytes; }
  bool read_one() { return workers_->run_next(); }  // a short one that no worker has begun; false: there is none

  std::function<void(bool wrong_token)> on_unauthenticated = [](bool) {};  // or none, or another agent's

 private:
  friend class Session;
  friend class Frame;

  Session* find(net::ConnectionId socket);    // null where it is gone
  bool is_greeted(net::ConnectionId socket);  // or gone
  void forget_if_over(net::ConnectionId socket, Session& session);
  std::shared_ptr<Frame> spare_frame();
  void give_back(std::shared_ptr<Frame> frame);
  // A frame of its was read by a worker; or a turn has come, which lasts until then.
  void go_on(net::ConnectionId socket, base::Duration until = base::Duration::max());
  bool is_for_worker(std::size_t bytes) const;
  void look_at_tokens();  // closes sessions whose token was revoked; goes on while there are any

  broker::Port broker_;
  net::Loop& loop_;
  net::Workers* const workers_;
  base::Clock& clock_;
  observe::Log& log_;
  const Settings settings_;
  Frame frame_{*this};                                // for those that are read at once
  std::vector<std::shared_ptr<Frame>> spare_frames_;  // for their memory: the newest is used first
  std::size_t spare_bytes_ = 0;
  std::size_t waiting_bytes_ = 0;  // of frames, in all sessions
  std::size_t frames_with_workers_ = 0;
  std::map<net::ConnectionId, std::unique_ptr<Session>> sessions_;
  bool looking_ = false;                    // at tokens
  form::Rounds<net::ConnectionId> rounds_;  // in which they are
};

}  // namespace parley::gateway::websocket
