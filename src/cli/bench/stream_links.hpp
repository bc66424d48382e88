// Producers and consumers over WebSocket.
#pragma once
#include <deque>
#include <memory>

#include "cli/bench/receiver.hpp"
#include "cli/bench/sender.hpp"
#include "sdk/cpp/stream.hpp"

namespace parley::cli::bench {

// Keeps up to `window` messages unanswered, in frames of `batch`.
class StreamProducer final : public Link {
 public:
  StreamProducer(sdk::Stream stream, Sender sender, const Settings& settings, Tally& tally);

  int descriptor() const override { return stream_.descriptor(); }
  bool wants_write() const override { return stream_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration now) const override;
  bool finished(Duration now) const override { return sender_.schedule().over(now) && sheets_.empty(); }

 private:
  base::Result<> take_answers(Duration now);
  void send_due(Duration now);

  sdk::Stream stream_;
  Sender sender_;
  const Settings& settings_;
  Tally& tally_;
  std::deque<Sheet> sheets_;  // in the order in which they were sent, and are answered
  std::size_t unanswered_ = 0;
  Duration resume_at_{};  // paced, what is due gathers; after a refusal the load holds its breath
};

// Acks what it is given, in frames of what came together.
class StreamConsumer final : public Link {
 public:
  StreamConsumer(sdk::Stream stream, Tally& tally) : stream_(std::move(stream)), receiver_(tally) {}

  int descriptor() const override { return stream_.descriptor(); }
  bool wants_write() const override { return stream_.wants_write(); }
  base::Result<> turn(Duration now) override;
  Duration next_due(Duration) const override { return Duration::max(); }
  bool finished(Duration) const override { return sheets_.empty() && receiver_.pending() == 0; }

 private:
  void ack_all();

  sdk::Stream stream_;
  Receiver receiver_;
  std::deque<AckSheet> sheets_;
};

}  // namespace parley::cli::bench
