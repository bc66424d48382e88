// Each turn first takes what came, then sends what there is room for.
#include "cli/bench/stream_links.hpp"

#include <algorithm>

namespace parley::cli::bench {
namespace {

constexpr std::size_t ack_batch_max = 1000;  // of GET /v1/limits
constexpr Duration breath = std::chrono::milliseconds(5);
// What comes due meanwhile goes in one frame, and its latency counts from when it was due. A frame for each of 50,000
// messages a second takes half a core, which the server then lacks.
constexpr Duration gathered_for = std::chrono::microseconds(300);

}  // namespace

StreamProducer::StreamProducer(sdk::Stream stream, Sender sender, const Settings& settings, Tally& tally)
    : stream_(std::move(stream)), sender_(std::move(sender)), settings_(settings), tally_(tally) {}

base::Result<> StreamProducer::take_answers(Duration now) {
  while (true) {
    PARLEY_TRY(const auto frame, stream_.next({}));
    if (frame.kind == sdk::Frame::Kind::nothing) return {};
    if (frame.kind != sdk::Frame::Kind::result || sheets_.empty() || frame.re != sheets_.front().frame) continue;
    const auto refused_before = tally_.refused + tally_.held_back;
    take_outcomes(sheets_.front(), frame.results, frame.error, now, tally_);
    if (tally_.refused + tally_.held_back > refused_before) resume_at_ = now + breath;
    unanswered_ -= sheets_.front().count;
    sheets_.pop_front();
  }
}

void StreamProducer::send_due(Duration now) {
  const std::size_t batch = std::min(settings_.batch, settings_.window);
  while (now >= resume_at_ && !stream_.wants_write()) {
    const std::size_t room = settings_.window - unanswered_;
    if (!sender_.schedule().paced() && room < batch) return;  // full frames only
    const std::size_t count = sender_.schedule().due(now, std::min(batch, room));
    if (count == 0) return;
    auto [sheet, messages] = sender_.make(count, now);
    sheet.frame = stream_.send(messages);
    sheets_.push_back(sheet);
    unanswered_ += count;
    if (sender_.schedule().paced()) resume_at_ = now + gathered_for;
  }
}

base::Result<> StreamProducer::turn(Duration now) {
  PARLEY_CHECK(take_answers(now));
  send_due(now);
  return {};
}

Duration StreamProducer::next_due(Duration now) const {
  if (unanswered_ >= settings_.window || stream_.wants_write()) return Duration::max();
  if (!sender_.schedule().paced() && settings_.window - unanswered_ < std::min(settings_.batch, settings_.window))
    return Duration::max();
  const Duration next = sender_.schedule().next(now);
  return next == Duration::max() ? next : std::max(next, resume_at_);
}

base::Result<> StreamConsumer::turn(Duration now) {
  while (true) {
    PARLEY_TRY(const auto frame, stream_.next({}));
    if (frame.kind == sdk::Frame::Kind::nothing) break;
    if (frame.kind == sdk::Frame::Kind::deliveries) {
      receiver_.take(frame.deliveries, now);
      if (receiver_.pending() >= ack_batch_max) ack_all();
    } else if (frame.kind == sdk::Frame::Kind::result && !sheets_.empty() && frame.re == sheets_.front().frame) {
      receiver_.take_statuses(sheets_.front(), frame.results, frame.error, now);
      sheets_.pop_front();
    }
  }
  ack_all();
  return {};
}

void StreamConsumer::ack_all() {
  while (receiver_.pending() > 0) {
    const auto frame = stream_.settle(sdk::Settlement::ack, receiver_.next_ids(ack_batch_max));
    sheets_.push_back(receiver_.drop_taken());
    sheets_.back().frame = frame;
  }
}

}  // namespace parley::cli::bench
