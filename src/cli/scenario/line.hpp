// An agent's line to the server, over HTTP or WebSocket: it says and hears, and lives through the server's death with
// what the public API offers: the same message id again, a new connection, a new take.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "json/value.hpp"
#include "sdk/cpp/access.hpp"
#include "sdk/cpp/client.hpp"

namespace parley::cli::scenario {

// How to call; asked again for each connection, since a restarted server listens elsewhere.
using Calls = std::function<base::Result<sdk::Access>()>;

// What came: an agent's message, or the server's own word.
struct Heard {
  json::Value message;
  bool of_the_server = false;
};
using Ear = std::function<void(const Heard&)>;
base::Result<> pass_on(const Ear& ear, std::string_view message, bool of_the_server);  // empty: a notice

// Resource type, one thread. Errors are the server's refusals, or that nobody answered for longer than patience lasts.
class Line {
 public:
  virtual ~Line() = default;
  // Until it is accepted or refused. True: it had been accepted before, and the answer was lost.
  virtual base::Result<bool> say(std::string_view native) = 0;
  // What comes within the time, each acknowledged once the ear has it; the same may come again.
  virtual base::Result<> listen(base::Duration at_most, const Ear& ear) = 0;
};

std::unique_ptr<Line> http_line(Calls calls, std::string workspace, std::string agent);
std::unique_ptr<Line> websocket_line(Calls calls, std::string workspace, std::string agent);

// A client that outlives the server; for the calls that are no messages.
class PatientClient {
 public:
  explicit PatientClient(Calls calls) : calls_(std::move(calls)) {}

  // Makes the call until it is answered.
  template <class Call>
  auto until_answered(const Call& call) -> decltype(call(std::declval<sdk::Client&>()));

 private:
  // The connection, made if there is none.
  base::Result<sdk::Client*> client();
  // Whether to try again; the connection is dropped. False: the error is an answer, or patience is over.
  bool try_again(const base::Error& error, base::Duration& waited);

  Calls calls_;
  std::unique_ptr<sdk::Client> client_;
};

template <class Call>
auto PatientClient::until_answered(const Call& call) -> decltype(call(std::declval<sdk::Client&>())) {
  base::Duration waited{};
  while (true) {
    auto connected = client();
    if (connected) {
      auto answer = call(**connected);
      if (answer || !try_again(answer.error(), waited)) return answer;
    } else if (!try_again(connected.error(), waited)) {
      return std::unexpected(std::move(connected).error());
    }
  }
}

// Whether to wait a moment and try again after this error; adds to what was waited. False where it is no passing one,
// or patience is over.
bool is_worth_another_try(const base::Error& error, base::Duration& waited);

}  // namespace parley::cli::scenario
