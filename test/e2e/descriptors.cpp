// B5, D11: strangers hold all connections that the server has descriptors for. Those who were there are served, the
// journal rolls into new segments and is read, and whoever comes with a token is served in a stranger's place.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "sdk/cpp/workspace.hpp"
#include "trial.hpp"

namespace {

using namespace parley;
using namespace parley::e2e;

constexpr int strangers = 300;            // more than the server may have files open
constexpr std::size_t bytes = 200 << 10;  // of a message
constexpr std::uint64_t sends = 450;      // 90 MB: a segment is 64 MB

// Connections that say nothing. Resource type.
class Strangers {
 public:
  explicit Strangers(const std::string& url) {
    sockaddr_in to{.sin_family = AF_INET,
                   .sin_port = htons(static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1))),
                   .sin_addr = {htonl(INADDR_LOOPBACK)},
                   .sin_zero = {}};
    for (int i = 0; i < strangers; ++i) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(sockets_.back(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
        throw Unusable("a stranger cannot connect");
    }
  }
  ~Strangers() {
    for (const int socket : sockets_) ::close(socket);
  }
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;

 private:
  std::vector<int> sockets_;
};

// The code of a refusal.
std::optional<base::ErrorCode> send(sdk::Workspace& workspace, const Message& message) {
  for (int patience = 0; patience < 200; ++patience) {
    const auto sent = workspace.send(message.native);
    if (sent) return std::nullopt;
    if (sent.error().code != base::ErrorCode::OVERLOADED) return sent.error().code;
    std::this_thread::sleep_for(Milliseconds(50));  // the next segment is being made
  }
  return base::ErrorCode::OVERLOADED;
}

void run_test() {
  const TempFolder folder("descriptors");
  World world(folder.path(), {"prlimit", "--nofile=60:160"});
  Town town;
  world.start();
  world.enrol(town);
  sdk::Client sender({world.url(), town.tokens.at("collab/architect-1"), {}, {}});
  sdk::Client taker({world.url(), town.tokens.at("collab/developer-01"), {}, {}});
  sdk::Workspace to(sender, "collab"), from(taker, "collab");
  std::mt19937_64 random{5};
  require(!send(to, make_message(cast()[0], 1, random, bytes)), "the first send is refused");
  require(from.take("developer-01", {.max = 1}).has_value(), "the first take is refused");
  {
    const Strangers crowd(world.url());
    for (std::uint64_t i = 2; i <= sends; ++i) {
      const auto refused = send(to, make_message(cast()[0], i, random, bytes));
      require(!refused,
              "B5: with strangers about, a send is refused: " + std::string(refused ? base::info(*refused).name : ""));
      if (i % 50 != 0) continue;
      const auto taken = from.take("developer-01", {.max = 1});
      require(taken.has_value(), "B5: with strangers about, a take is refused");
    }
    sdk::Client later({world.url(), world.admin_token(), {}, {}});
    require(later.get("/v1/workspaces").has_value(), "D11: with strangers about, who comes with a token is refused");
    require(world.server().wait(Milliseconds(0)) == std::nullopt, "B5: the server ended");
  }
  std::printf("B5: %d strangers, 160 descriptors: %llu sends of 200 KB through two segments\n", strangers,
              static_cast<unsigned long long>(sends));
}

}  // namespace

int main() {
  return judge(run_test);
}
