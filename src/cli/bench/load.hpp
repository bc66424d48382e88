// The parts of a bench run that do not depend on the transport: what was asked for, when messages are due, what came of
// them, and the connections that the run's one loop drives.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/bench/histogram.hpp"
#include "cli/bench/messages.hpp"
#include "json/value.hpp"

namespace parley::cli::bench {

using base::Duration;  // also of points in time: since the run's own beginning

struct Settings {
  bool http = false;          // else WebSocket
  bool publish_only = false;  // else delivered and acked too
  Contents contents = Contents::tasks;
  std::uint32_t producers = 1;
  std::uint32_t consumers = 1;
  std::uint32_t batch = 256;     // messages a frame or request, at most
  std::uint32_t window = 8192;   // messages a producer may have unanswered; of work, tasks that are not completed
  std::uint32_t credit = 16384;  // deliveries a consumer may have unacked; of work, a producer too
  std::uint32_t size = 1024;     // bytes a message
  Duration duration = std::chrono::seconds(10);
  std::uint64_t count = 0;  // messages in all, instead of the duration; of work, up to whole tasks
  double rate = 0;          // messages a second in all; 0: as fast as the windows let. Of work assignments are paced

  bool is_work() const { return contents == Contents::work; }
  // That come of one assignment or remark, itself included.
  std::uint32_t messages_of_each() const { return is_work() ? 3 : 1; }
};

// When one producer's messages are due. Paced, the n-th is due at n / rate whatever became of those before, and its
// latency counts from then on: nothing that the server delays is left out (coordinated omission). Value type.
class Schedule {
 public:
  Schedule(double per_second, Duration end, std::uint64_t count_max)
      : per_second_(per_second), end_(end), count_max_(count_max) {}

  bool paced() const { return per_second_ > 0; }
  std::size_t due(Duration now, std::size_t at_most) const;  // how many may go now
  Duration due_at(std::uint64_t index, Duration now) const;  // unpaced: now
  double step_us() const { return paced() ? 1e6 / per_second_ : 0; }
  Duration next(Duration now) const;  // when one more is due; Duration::max() where none will be
  bool over(Duration now) const { return next(now) == Duration::max(); }

  std::uint64_t sent() const { return sent_; }
  void add_sent(std::size_t count) { sent_ += count; }

 private:
  double per_second_;
  Duration end_;
  std::uint64_t count_max_;
  std::uint64_t sent_ = 0;
};

// What became of the messages. `sum`s are over hashes of the messages' numbers: equal sums of accepted and acked ones
// say that they are the same messages.
struct Tally {
  std::uint64_t accepted = 0, duplicates = 0, refused = 0;
  std::uint64_t held_back = 0;  // refused for want of room now, as a sender must expect: overload, rate, full mailbox
  std::uint64_t delivered = 0, repeated = 0, acked = 0, not_acked = 0;
  std::uint64_t accepted_sum = 0, acked_sum = 0;
  Duration last_answer{}, last_ack{};
  Histogram ack_latency;       // from due to the sender's being told that it is accepted, and so on disk
  Histogram delivery_latency;  // from due to the recipient's having it
  std::optional<base::Error> first_refusal;

  void refuse(const base::Error& error, std::uint64_t count);
  // One outcome {message_id, offset, status} or {error} of the message of that number. true: it was accepted.
  bool take_outcome(json::Value outcome, std::uint64_t number, Duration latency);
};
std::uint64_t hash_of(std::uint64_t number);

// Messages sent together and not yet answered.
struct Sheet {
  std::uint64_t frame = 0;  // the frame's id
  std::uint64_t first = 0;  // number of the first message
  std::uint32_t count = 0;
  Duration due{};  // of the first
  double step_us = 0;

  Duration due_of(std::size_t i) const {
    return due + Duration(static_cast<std::int64_t>(static_cast<double>(i) * step_us));
  }
};

// One connection of the load. Resource type, driven by one loop.
class Link {
 public:
  virtual ~Link() = default;
  virtual int descriptor() const = 0;
  virtual bool wants_write() const = 0;
  virtual base::Result<> turn(Duration now) = 0;      // does what can be done without waiting
  virtual Duration next_due(Duration now) const = 0;  // when it wants a turn though nothing came in
  virtual bool finished(Duration now) const = 0;      // nothing more to send, nothing unanswered
};

// Numbers are unique in a run: which producer, and which of its messages; above both, an answer's stage.
constexpr unsigned producer_shift = 40;
constexpr std::uint64_t number_of(std::uint32_t producer, std::uint64_t index) {
  return std::uint64_t{producer} << producer_shift | index;
}
constexpr std::uint32_t producer_of(std::uint64_t number) {
  constexpr std::uint64_t all = (std::uint64_t{1} << (stage_shift - producer_shift)) - 1;
  return static_cast<std::uint32_t>(number >> producer_shift & all);
}

}  // namespace parley::cli::bench
