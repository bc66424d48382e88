// One agent's session over WebSocket: batches of messages out, results and deliveries in (docs/reference/websocket.md).
// Calls put a frame into the output and begin to write it; `next` writes the rest, reads, and gives one frame at a
// time. How many messages stay unanswered (the window) is the caller's choice.
//
//   auto stream = Stream::open(access, "demo", "developer-01", {.credit = 1024});
//   while (auto frame = stream->next(std::chrono::seconds(30))) {
//     std::vector<std::string_view> done;
//     for (const Delivery& delivery : frame->deliveries) {
//       work(delivery.message);
//       done.push_back(delivery.delivery_id);
//     }
//     if (!done.empty()) stream->settle(Settlement::ack, done);
//   }
//
// Errors end the stream: UNREACHABLE where the connection broke; CONFLICT where a newer session of the agent took over
// (4001), UNAUTHENTICATED (4401), OVERLOADED where this reader was too slow (4429), INTERNAL where a frame cannot be
// read. What had no result may have been done; it is repeated safely with the same message ids.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "json/value.hpp"
#include "sdk/cpp/access.hpp"
#include "sdk/cpp/delivery.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::sdk {

struct StreamOptions {
  std::uint32_t credit = 0;  // unacked deliveries allowed; 0: none are sent
  base::Duration lease{};    // 0: the workspace's default
  base::Duration connect_timeout = std::chrono::seconds(5);
  std::size_t read_bytes = 256 << 10;  // of one read
};

// One frame from the server. Views are good until the next call of `next`.
struct Frame {
  enum class Kind : std::uint8_t { nothing, result, deliveries, other };  // nothing: none came in time

  Kind kind = Kind::nothing;
  std::uint64_t re = 0;              // result: the id of the frame it answers
  json::Value results;               // result: array, in the order of what was asked
  std::optional<base::Error> error;  // result: in place of the results
  Deliveries deliveries;
  json::Value whole;  // of all but deliveries
};

// Resource type, one thread.
class Stream {
 public:
  static base::Result<Stream> open(const Access& access, std::string_view workspace, std::string_view agent,
                                   const StreamOptions& options);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  // Each gives the frame's id, which its result names in `re`. At most 1,000 messages and 8 MB a frame.
  std::uint64_t send(std::span<const std::string_view> natives);
  std::uint64_t settle(Settlement what, std::span<const std::string_view> delivery_ids,
                       const SettleOptions& options = {});
  std::uint64_t credit(std::uint32_t deliveries);
  std::uint64_t drain();  // no more deliveries; the server finishes what is under way

  base::Result<Frame> next(base::Duration at_most);

  // For a caller's own poll loop: next({}) once this can be read, or written while `wants_write`.
  int descriptor() const;
  bool wants_write() const;

  std::string_view session() const;  // of the welcome
  std::uint64_t head() const;        // offset of the workspace's newest event at that time

  void close();  // says good-bye; nothing can be called afterwards

 private:
  struct State;
  explicit Stream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parley::sdk
