// One session. A connection that breaks is opened again: what had no result is said again under the same id, what was
// not acked is delivered again.
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "cli/scenario/line.hpp"
#include "sdk/cpp/error_text.hpp"
#include "sdk/cpp/stream.hpp"

namespace parley::cli::scenario {
namespace {

constexpr std::uint32_t credit = 16;
constexpr base::Duration longest_silence = std::chrono::seconds(5);  // of a server that should answer

struct Overheard {
  std::string message;
  bool by_server = false;
  std::string to_be_acked;  // a delivery id; empty: no ack is expected
};

class WebsocketLine final : public Line {
 public:
  WebsocketLine(Calls calls, std::string workspace, std::string agent)
      : calls_(std::move(calls)), workspace_(std::move(workspace)), agent_(std::move(agent)) {}

  base::Result<bool> say(std::string_view native) override {
    bool before = false;
    PARLEY_CHECK(persist([&]() -> base::Result<> {
      PARLEY_TRY(before, try_to_say(native));
      return {};
    }));
    return before;
  }

  base::Result<> listen(base::Duration at_most, const Ear& ear) override {
    return persist([&]() -> base::Result<> {
      if (overheard_.empty()) PARLEY_CHECK(read(at_most));
      for (; !overheard_.empty(); overheard_.pop_front()) {
        const Overheard& delivery = overheard_.front();
        PARLEY_CHECK(pass_on(ear, delivery.message, delivery.by_server));
        if (delivery.to_be_acked.empty() || !stream_) continue;
        const std::string_view id = delivery.to_be_acked;
        stream_->settle(sdk::Settlement::ack, {&id, 1});
      }
      return {};
    });
  }

 private:
  base::Result<> persist(const std::function<base::Result<>()>& what) {
    base::Duration waited{};
    while (true) {
      auto done = what();
      if (done || !is_worth_another_try(done.error(), waited)) return done;
      stream_.reset();
    }
  }

  base::Result<> open() {
    if (stream_) return {};
    PARLEY_TRY(const auto access, calls_());
    PARLEY_TRY(auto stream, sdk::Stream::open(access, workspace_, agent_, {.credit = credit}));
    stream_ = std::make_unique<sdk::Stream>(std::move(stream));
    return {};
  }

  base::Result<bool> try_to_say(std::string_view native) {
    PARLEY_CHECK(open());
    const std::uint64_t id = stream_->send({&native, 1});
    base::SystemClock clock;
    const auto end = clock.monotonic() + longest_silence;
    while (clock.monotonic() < end) {
      PARLEY_TRY(const auto frame, stream_->next(end - clock.monotonic()));
      keep(frame);
      if (frame.kind != sdk::Frame::Kind::result || frame.re != id) continue;
      if (frame.error) return std::unexpected(*frame.error);
      if (const auto error = frame.results.element(0).find("error"))
        return std::unexpected(sdk::read_error(error, 422));
      return frame.results.element(0).find("status").if_string() == "duplicate";
    }
    return base::fail(base::ErrorCode::UNREACHABLE, "the server does not answer", "stream");
  }

  base::Result<> read(base::Duration at_most) {
    PARLEY_CHECK(open());
    PARLEY_TRY(const auto frame, stream_->next(at_most));
    keep(frame);
    return {};
  }

  // A frame's views end with the next one.
  void keep(const sdk::Frame& frame) {
    for (const sdk::Delivery& delivery : frame.deliveries)
      overheard_.push_back({std::string(delivery.message), delivery.by_server,
                            std::string(delivery.lease_until.empty() ? "" : delivery.delivery_id)});
  }

  Calls calls_;
  std::string workspace_, agent_;
  std::unique_ptr<sdk::Stream> stream_;
  std::deque<Overheard> overheard_;  // not yet told
};

}  // namespace

std::unique_ptr<Line> websocket_line(Calls calls, std::string workspace, std::string agent) {
  return std::make_unique<WebsocketLine>(std::move(calls), std::move(workspace), std::move(agent));
}

}  // namespace parley::cli::scenario
