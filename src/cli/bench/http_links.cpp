// Take and ack alternate on a consumer's connection; a producer has one request at a time.
#include "cli/bench/http_links.hpp"

#include <algorithm>

#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli::bench {
namespace {

constexpr std::size_t take_max = 1000;  // of GET /v1/limits
constexpr json::Limits limits{.bytes = 64 << 20, .depth = 80, .elements = 1'000'000};

}  // namespace

HttpProducer::HttpProducer(HttpConnection connection, std::string target, Sender sender, const Settings& settings,
                           Tally& tally)
    : connection_(std::move(connection)),
      target_(std::move(target)),
      sender_(std::move(sender)),
      settings_(settings),
      tally_(tally) {}

base::Result<> HttpProducer::take_answer(const Response& response, Duration now) {
  if (response.status >= 300) {
    take_outcomes(sheet_, {}, sdk::error_of(response.status, response.body), now, tally_);
    return {};
  }
  PARLEY_TRY(const auto root, parser_.parse(response.body, limits));
  if (settings_.batch > 1) {
    take_outcomes(sheet_, root.is_array() ? root : root.find("results"), std::nullopt, now, tally_);
  } else {
    tally_.last_answer = now;
    tally_.take_outcome(root, sheet_.first, now - sheet_.due);
  }
  return {};
}

void HttpProducer::send_due(Duration now) {
  const std::size_t count = sender_.schedule().due(now, settings_.batch);
  if (count == 0) return;
  const auto [sheet, messages] = sender_.make(count, now);
  sheet_ = sheet;
  if (settings_.batch == 1) return connection_.post(target_, messages.front());
  body_ = "[";
  for (const auto message : messages) body_.append(body_.size() > 1 ? "," : "").append(message);
  body_ += ']';
  connection_.post(target_, body_);
}

base::Result<> HttpProducer::turn(Duration now) {
  PARLEY_TRY(const auto response, connection_.turn());
  if (response) PARLEY_CHECK(take_answer(*response, now));
  if (connection_.busy()) return {};
  send_due(now);
  return connection_.write();
}

Duration HttpProducer::next_due(Duration now) const {
  return connection_.busy() ? Duration::max() : sender_.schedule().next(now);
}

HttpConsumer::HttpConsumer(HttpConnection connection, std::string inbox, const Settings& settings, Tally& tally)
    : connection_(std::move(connection)), inbox_(std::move(inbox)), settings_(settings), receiver_(tally) {}

base::Result<> HttpConsumer::take_answer(const Response& response, Duration now) {
  const bool was_ack = acking_;
  acking_ = false;
  if (response.status >= 300) {
    const auto error = sdk::error_of(response.status, response.body);
    if (!was_ack) return std::unexpected(error);
    receiver_.take_statuses(sheet_, {}, error, now);
    return {};
  }
  if (was_ack) {
    PARLEY_TRY(const auto root, parser_.parse(response.body, limits));
    receiver_.take_statuses(sheet_, root.find("results"), std::nullopt, now);
  } else {
    PARLEY_TRY(const auto deliveries, reader_.read(response.body));
    receiver_.take(deliveries.value_or(sdk::Deliveries{}), now);
  }
  return {};
}

void HttpConsumer::ask() {
  body_.clear();
  json::Writer out(body_);
  if (receiver_.pending() == 0) {
    out.begin_object()
        .member("max", std::min<std::size_t>(settings_.credit, take_max))
        .member("wait", "1s")
        .end_object();
    return connection_.post(inbox_ + "/take", body_);
  }
  out.begin_object().key("delivery_ids").begin_array();
  for (const auto id : receiver_.next_ids(take_max)) out.string(id);
  out.end_array().end_object();
  sheet_ = receiver_.drop_taken();
  acking_ = true;
  connection_.post(inbox_ + "/ack", body_);
}

base::Result<> HttpConsumer::turn(Duration now) {
  PARLEY_TRY(const auto response, connection_.turn());
  if (response) PARLEY_CHECK(take_answer(*response, now));
  if (connection_.busy()) return {};
  ask();
  return connection_.write();
}

}  // namespace parley::cli::bench
