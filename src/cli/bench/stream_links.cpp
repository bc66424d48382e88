// Each turn first takes what came, then sends what there is room for.
#include "cli/bench/stream_links.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace parley::cli::bench {
namespace {

constexpr Duration breath = std::chrono::milliseconds(5);
// What comes due meanwhile goes in one frame, and its latency counts from when it was due. A frame for each of 50,000
// messages a second takes half a core, which the server then lacks.
constexpr Duration gathered_for = std::chrono::microseconds(300);

// Frames are answered in the order in which they were sent.
bool answers_oldest(const auto& sheets, const sdk::Frame& result) {
  return !sheets.empty() && result.re == sheets.front().frame;
}

}  // namespace

bool Acker::take_result(const sdk::Frame& result, Duration now) {
  if (!answers_oldest(sheets_, result)) return false;
  receiver_.take_statuses(sheets_.front(), result.results, result.error, now);
  sheets_.pop_front();
  return true;
}

void Acker::ack_all() {
  while (receiver_.pending() > 0) {
    const auto frame = stream_.settle(sdk::Settlement::ack, receiver_.next_ids(frame_max));
    sheets_.push_back(receiver_.drop_taken());
    sheets_.back().frame = frame;
  }
}

StreamProducer::StreamProducer(sdk::Stream stream, Sender sender, const Settings& settings, Tally& tally)
    : stream_(std::move(stream)),
      sender_(std::move(sender)),
      settings_(settings),
      tally_(tally),
      acker_(stream_, tally) {}

void StreamProducer::take_answer(const sdk::Frame& result, Duration now) {
  if (acker_.take_result(result, now) || !answers_oldest(sheets_, result)) return;
  const Sheet& sheet = sheets_.front();
  const auto refused_before = tally_.refused + tally_.held_back;
  take_outcomes(sheet, result.results, result.error, now, tally_);
  const auto refused = tally_.refused + tally_.held_back - refused_before;
  if (refused > 0) resume_at_ = now + breath;
  under_way_ -= settings_.is_work() ? refused : sheet.count;
  sheets_.pop_front();
}

base::Result<> StreamProducer::take_frames(Duration now) {
  const auto count_completed = [this](const Mark& mark, std::string_view) {
    if (stage_of(mark.number) != Stage::completed) return;
    PARLEY_ASSERT(under_way_ > 0);
    --under_way_;
  };
  while (true) {
    PARLEY_TRY(const auto frame, stream_.next({}));
    if (frame.kind == sdk::Frame::Kind::nothing) return {};
    if (frame.kind == sdk::Frame::Kind::deliveries) acker_.take(frame, now, count_completed);
    if (frame.kind == sdk::Frame::Kind::result) take_answer(frame, now);
  }
}

void StreamProducer::send_due(Duration now) {
  const std::size_t batch = std::min(settings_.batch, settings_.window);
  while (now >= resume_at_ && !stream_.wants_write()) {
    const std::size_t room = settings_.window - under_way_;
    if (!sender_.schedule().paced() && room < batch) return;  // full frames only
    const std::size_t count = sender_.schedule().due(now, std::min(batch, room));
    if (count == 0) return;
    auto [sheet, messages] = sender_.make(count, now);
    sheet.frame = stream_.send(messages);
    sheets_.push_back(sheet);
    under_way_ += count;
    if (sender_.schedule().paced()) resume_at_ = now + gathered_for;
  }
}

base::Result<> StreamProducer::turn(Duration now) {
  PARLEY_CHECK(take_frames(now));
  send_due(now);
  acker_.ack_all();
  return {};
}

Duration StreamProducer::next_due(Duration now) const {
  if (under_way_ >= settings_.window || stream_.wants_write()) return Duration::max();
  if (!sender_.schedule().paced() && settings_.window - under_way_ < std::min(settings_.batch, settings_.window))
    return Duration::max();
  const Duration next = sender_.schedule().next(now);
  return next == Duration::max() ? next : std::max(next, resume_at_);
}

base::Result<> StreamConsumer::turn(Duration now) {
  while (true) {
    PARLEY_TRY(const auto frame, stream_.next({}));
    if (frame.kind == sdk::Frame::Kind::nothing) break;
    if (frame.kind == sdk::Frame::Kind::deliveries) acker_.take(frame, now);
    if (frame.kind == sdk::Frame::Kind::result) acker_.take_result(frame, now);
  }
  acker_.ack_all();
  return {};
}

StreamWorker::StreamWorker(sdk::Stream stream, Work work, Tally& tally)
    : stream_(std::move(stream)), work_(std::move(work)), tally_(tally), acker_(stream_, tally) {}

void StreamWorker::take_answer(const sdk::Frame& result, Duration now) {
  if (acker_.take_result(result, now) || !answers_oldest(sheets_, result)) return;
  const auto held_back = tally_.held_back;
  work_.take_outcomes(sheets_.front(), result.results, result.error, now, tally_);
  if (tally_.held_back > held_back) resume_at_ = now + breath;
  sheets_.pop_front();
}

void StreamWorker::say_all(Duration now) {
  while (now >= resume_at_ && !stream_.wants_write()) {
    auto batch = work_.next(now);
    if (!batch) return;
    batch->sheet.frame = stream_.send(batch->messages);
    sheets_.push_back(std::move(batch->sheet));
  }
}

base::Result<> StreamWorker::turn(Duration now) {
  const auto begin_work = [this](const Mark& mark, std::string_view native) { work_.take(task_of(mark, native)); };
  while (true) {
    PARLEY_TRY(const auto frame, stream_.next({}));
    if (frame.kind == sdk::Frame::Kind::nothing) break;
    if (frame.kind == sdk::Frame::Kind::deliveries) acker_.take(frame, now, begin_work);
    if (frame.kind == sdk::Frame::Kind::result) take_answer(frame, now);
  }
  say_all(now);
  acker_.ack_all();
  return {};
}

}  // namespace parley::cli::bench
