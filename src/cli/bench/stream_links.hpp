// Producers and consumers over WebSocket; architects and developers where tasks are worked on.
#pragma once
#include <deque>
#include <memory>

#include "cli/bench/receiver.hpp"
#include "cli/bench/sender.hpp"
#include "cli/bench/work.hpp"
#include "sdk/cpp/stream.hpp"

namespace parley::cli::bench {

// Takes what is delivered on a stream and acks it, in frames of what came together.
class Acker {
 public:
  Acker(sdk::Stream& stream, Tally& tally) : stream_(stream), receiver_(tally) {}

  template <class Each = Receiver::Unheard>
  void take(const sdk::Frame& deliveries, Duration now, const Each& each = {}) {
    receiver_.take(deliveries.deliveries, now, each);
    if (receiver_.pending() >= frame_max) ack_all();
  }
  bool take_result(const sdk::Frame& result, Duration now);  // false: it answers none of its frames
  void ack_all();
  bool finished() const { return sheets_.empty() && receiver_.pending() == 0; }

 private:
  static constexpr std::size_t frame_max = 1000;  // of GET /v1/limits

  sdk::Stream& stream_;
  Receiver receiver_;
  std::deque<AckSheet> sheets_;
};

// Keeps up to `window` messages unanswered, in frames of `batch`. Where tasks are worked on, as many are under way, and
// what is answered to them is acked.
class StreamProducer final : public Link {
 public:
  StreamProducer(sdk::Stream stream, Sender sender, const Settings& settings, Tally& tally);

  int descriptor() const override { return stream_.descriptor(); }
  bool wants_write() const override { return stream_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration now) const override;
  bool finished(Duration now) const override {
    return sender_.schedule().over(now) && under_way_ == 0 && acker_.finished();
  }

 private:
  base::Result<> take_frames(Duration now);
  void take_answer(const sdk::Frame& result, Duration now);
  void send_due(Duration now);

  sdk::Stream stream_;
  Sender sender_;
  const Settings& settings_;
  Tally& tally_;
  Acker acker_;
  std::deque<Sheet> sheets_;  // in the order in which they were sent, and are answered
  std::size_t under_way_ = 0;
  Duration resume_at_{};  // paced, what is due gathers; after a refusal the load holds its breath
};

class StreamConsumer final : public Link {
 public:
  StreamConsumer(sdk::Stream stream, Tally& tally) : stream_(std::move(stream)), acker_(stream_, tally) {}

  int descriptor() const override { return stream_.descriptor(); }
  bool wants_write() const override { return stream_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration) const override { return Duration::max(); }
  bool finished(Duration) const override { return acker_.finished(); }

 private:
  sdk::Stream stream_;
  Acker acker_;
};

// A developer that works on the tasks it is given.
class StreamWorker final : public Link {
 public:
  StreamWorker(sdk::Stream stream, Work work, Tally& tally);

  int descriptor() const override { return stream_.descriptor(); }
  bool wants_write() const override { return stream_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration) const override {
    return work_.all_said() || stream_.wants_write() ? Duration::max() : resume_at_;
  }
  bool finished(Duration) const override { return work_.all_said() && sheets_.empty() && acker_.finished(); }

 private:
  void take_answer(const sdk::Frame& result, Duration now);
  void say_all(Duration now);

  sdk::Stream stream_;
  Work work_;
  Tally& tally_;
  Acker acker_;
  std::deque<WorkSheet> sheets_;  // in the order in which they were sent, and are answered
  Duration resume_at_{};          // after a refusal the load holds its breath
};

}  // namespace parley::cli::bench
