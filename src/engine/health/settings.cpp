#include "engine/health/settings.hpp"

#include "event/events.pb.h"

namespace parley::engine {
namespace {

base::Result<> check_time(std::string_view name, base::Duration time, base::Duration least) {
  constexpr base::Duration most = std::chrono::days(30);
  if (time >= least && time <= most) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST,
                    std::string(name) + " is " + base::to_text(time) + "; it may be " + base::to_text(least) + " to " +
                        base::to_text(most),
                    "/settings/" + std::string(name), "Name a time within these bounds.");
}

}  // namespace

base::Result<> check_health(const HealthSettings& settings) {
  using namespace std::chrono_literals;
  if (settings.heartbeat_every) PARLEY_CHECK(check_time("heartbeat_every", *settings.heartbeat_every, 1s));
  if (!settings.breaker) return {};
  PARLEY_CHECK(check_time("breaker/timeout_ms", settings.breaker->timeout, 1ms));
  return check_time("breaker/reset_timeout_ms", settings.breaker->reset_timeout, 1ms);
}

void write(const HealthSettings& settings, event::Settings& out) {
  if (settings.heartbeat_every) out.set_heartbeat_every(settings.heartbeat_every->count());
  if (settings.heartbeats_missed) out.set_heartbeats_missed(*settings.heartbeats_missed);
  if (!settings.breaker) return;
  event::Breaker& breaker = *out.mutable_breaker();
  breaker.set_error_threshold(settings.breaker->error_threshold);
  breaker.set_timeout(settings.breaker->timeout.count());
  breaker.set_reset_timeout(settings.breaker->reset_timeout.count());
}

HealthSettings read_health(const event::Settings& in) {
  HealthSettings settings;
  if (in.heartbeat_every() > 0) settings.heartbeat_every = base::Duration(in.heartbeat_every());
  if (in.heartbeats_missed() > 0) settings.heartbeats_missed = in.heartbeats_missed();
  if (in.has_breaker())
    settings.breaker = {in.breaker().error_threshold(), base::Duration(in.breaker().timeout()),
                        base::Duration(in.breaker().reset_timeout())};
  return settings;
}

}  // namespace parley::engine
