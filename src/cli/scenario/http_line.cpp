// POST to say; take and ack to hear. A take whose answer was lost is asked again under its own id; an ack that comes
// too late is superseded, and the message comes again.
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "cli/scenario/line.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::cli::scenario {
namespace {

constexpr std::uint32_t handful = 16;

class HttpLine final : public Line {
 public:
  HttpLine(Calls calls, std::string workspace, std::string agent)
      : client_(std::move(calls)), workspace_(std::move(workspace)), agent_(std::move(agent)) {}

  base::Result<bool> say(std::string_view native) override {
    return client_.until_answered([&](sdk::Client& client) -> base::Result<bool> {
      PARLEY_TRY(const auto sent, sdk::Workspace(client, workspace_).send(native));
      return sent.duplicate;
    });
  }

  base::Result<> listen(base::Duration at_most, const Ear& ear) override {
    const sdk::TakeOptions options{.max = handful, .wait = at_most, .take_id = fresh_id()};
    PARLEY_TRY(const auto taken, client_.until_answered([&](sdk::Client& client) {
      return sdk::Workspace(client, workspace_).take(agent_, options);
    }));
    std::vector<std::string_view> leased;
    for (const sdk::Delivery& delivery : taken.deliveries()) {
      PARLEY_CHECK(pass_on(ear, delivery.message, delivery.by_server));
      if (!delivery.lease_until.empty()) leased.push_back(delivery.delivery_id);
    }
    return leased.empty() ? base::Result<>() : ack(leased);
  }

 private:
  base::Result<> ack(const std::vector<std::string_view>& leased) {
    const auto settled = client_.until_answered([&](sdk::Client& client) {
      return sdk::Workspace(client, workspace_).settle(sdk::Settlement::ack, agent_, leased);
    });
    if (!settled && settled.error().code != base::ErrorCode::SUPERSEDED) return std::unexpected(settled.error());
    return {};
  }

  static std::string fresh_id() {
    base::SystemRandom random;
    std::string bytes(16, '\0');
    random.fill({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return base::to_hex(bytes);
  }

  PatientClient client_;
  std::string workspace_, agent_;
};

}  // namespace

std::unique_ptr<Line> http_line(Calls calls, std::string workspace, std::string agent) {
  return std::make_unique<HttpLine>(std::move(calls), std::move(workspace), std::move(agent));
}

}  // namespace parley::cli::scenario
